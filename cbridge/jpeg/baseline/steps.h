/* Separate steps of decoding, for measurements. */
#ifndef SPOOL_BASELINE_STEPS_H
#define SPOOL_BASELINE_STEPS_H

#include "baseline.h"

enum {
    SPOOL_BASELINE_UNSTUFF,  /* coded data to unstuffed data, window by window */
    SPOOL_BASELINE_ENTROPY,  /* the same, and coefficients */
    SPOOL_BASELINE_SAMPLES,  /* the same, and the samples, an MCU row at a time */
    SPOOL_BASELINE_UPSAMPLE, /* only: rows of chroma within the cache; if upsampled both ways, only in height */
    SPOOL_BASELINE_CONVERT,  /* only: rows of RGB within the cache, with upsampling of chroma in width */
};

/*
 * Runs a step over an image, and discards the results. memory holds some rows. Returns SPOOL_BASELINE_DONE; a reason,
 * also if the image has no such step; or SPOOL_BASELINE_SHAPE if the memory is too small.
 */
int spool_baseline_step(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, int step, uint8_t *memory,
                        size_t memory_size);

#endif
