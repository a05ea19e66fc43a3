#ifndef SPOOL_FLOOR_RESAMPLE_H
#define SPOOL_FLOOR_RESAMPLE_H

#include <stdint.h>

typedef struct SwrContext spool_floor_resampler;

/* Opens swresample with its defaults for planar float. Returns NULL on failure. */
spool_floor_resampler *spool_floor_resampler_open(int in, int out, int channels);
void spool_floor_resampler_close(spool_floor_resampler *floor);

/*
 * Resamples n samples of at most 8 channels, `stride` apart. Returns the number of output samples, or a negative code.
 */
int spool_floor_resampler_push(spool_floor_resampler *floor, int channels, const float *in, int64_t stride, int n,
                               float *out, int64_t out_stride, int room);

#endif
