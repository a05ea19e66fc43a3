/* Parts of the work by themselves, for measurements. */
#ifndef SPOOL_BASELINE_STEPS_H
#define SPOOL_BASELINE_STEPS_H

#include "baseline.h"

enum {
    SPOOL_BASELINE_UNSTUFF,  /* coded data without stuffed bytes, window by window */
    SPOOL_BASELINE_ENTROPY,  /* that, and coefficients */
    SPOOL_BASELINE_SAMPLES,  /* that, and the samples of a row of MCUs at a time */
    SPOOL_BASELINE_UPSAMPLE, /* alone: rows of chroma, where both ways in height only, from the cache to the cache */
    SPOOL_BASELINE_CONVERT,  /* alone: rows of RGB, with chroma in width, likewise */
};

/*
 * Runs a step over a picture and keeps nothing of it; memory holds some rows. Returns SPOOL_BASELINE_DONE, a
 * reason, also where the picture has no such step, or SPOOL_BASELINE_SHAPE when the memory is too small.
 */
int spool_baseline_step(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, int step, uint8_t *memory,
                        size_t memory_size);

#endif
