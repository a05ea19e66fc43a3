/* What the Go side calls: one call a chunk of sound. */
#ifndef SPOOL_RESAMPLE_H
#define SPOOL_RESAMPLE_H

#include "kernels.h"

/* Sound of a decoder: n samples of each channel. */
typedef struct {
    int32_t format, channels;
    int32_t planar;
    int64_t n;
} spool_resample_samples;

/* A resampler between two calls. The window holds `filled` samples of each channel from which the next
 * outputs are made; the first `lead` of them lie before the sound's beginning and are not written yet. */
typedef struct {
    spool_resample_position position;
    int64_t filled, lead;
} spool_resample_state;

/* The window's and the result's channels lie `capacity` and `stride` samples apart. */
typedef struct {
    int32_t channels;
    int64_t capacity, stride;
} spool_resample_form;

/* Channels of `in` become those of `out`, times a matrix of channels rows, or as they are when it is NULL.
 * Interleaved samples are at data, others at planes. Returns 0 or SPOOL_CANCELLED. */
int spool_resample_mix(const spool_resample_samples *in, const void *data, const void *const *planes,
                       const float *matrix, int32_t channels, float *out, int64_t stride, const int32_t *flag,
                       int level);

/* The reverse, without a matrix. */
int spool_resample_store(const float *in, int64_t stride, const spool_resample_samples *out, void *data,
                         void *const *planes, const int32_t *flag, int level);

/* Takes samples in by way of spool_resample_mix, and gives all outputs that they complete. */
int spool_resample_push(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                        spool_resample_state *state, float *window, const spool_resample_samples *in, const void *data,
                        const void *const *planes, const float *matrix, float *out, const int32_t *flag, int level);

/* Gives the outputs that lie before the sound's end. */
int spool_resample_flush(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                         spool_resample_state *state, int64_t centre, float *window, float *out, const int32_t *flag,
                         int level);

#endif
