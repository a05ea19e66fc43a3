/* The C functions that Go calls, once for each chunk of audio. */
#ifndef SPOOL_RESAMPLE_H
#define SPOOL_RESAMPLE_H

#include "kernels.h"

/* Audio from a decoder: n samples of each channel. */
typedef struct {
    int32_t format, channels;
    int32_t planar;
    int64_t n;
} spool_resample_samples;

/*
 * The state of a resampler between two calls. The window holds `filled` samples of each channel for the next outputs;
 * the first `lead` of them are before the beginning of the audio and not written yet.
 */
typedef struct {
    spool_resample_position position;
    int64_t filled, lead;
} spool_resample_state;

/*
 * The channels of the window are `capacity` samples apart, those of the result `stride`. spool_resample_push computes
 * outputs in multiples of `group`, and keeps the samples of the others in the window.
 */
typedef struct {
    int32_t channels;
    int64_t capacity, stride, group;
} spool_resample_form;

/*
 * Converts and mixes the channels of `in` to those of `out`, with a matrix of `channels` rows, or unchanged if it is
 * NULL. Interleaved samples are at data, others at planes. Returns 0 or SPOOL_CANCELLED.
 */
int spool_resample_mix(const spool_resample_samples *in, const void *data, const void *const *planes,
                       const float *matrix, int32_t channels, float *out, int64_t stride, const int32_t *flag,
                       int level);

/* The reverse, without a matrix. */
int spool_resample_store(const float *in, int64_t stride, const spool_resample_samples *out, void *data,
                         void *const *planes, const int32_t *flag, int level);

/* Takes samples by spool_resample_mix, and computes the groups of outputs that they complete. */
int spool_resample_push(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                        spool_resample_state *state, float *window, const spool_resample_samples *in, const void *data,
                        const void *const *planes, const float *matrix, float *out, const int32_t *flag, int level);

/* Computes all outputs before the end of the audio. */
int spool_resample_flush(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                         spool_resample_state *state, int64_t centre, float *window, float *out, const int32_t *flag,
                         int level);

#endif
