#ifndef SPOOL_RESAMPLE_FLOOR_H
#define SPOOL_RESAMPLE_FLOOR_H

#include <stdint.h>

typedef struct SwrContext spool_resample_floor;

/* swresample with its defaults for planar float; NULL when it cannot be had. */
spool_resample_floor *spool_resample_floor_open(int in, int out, int channels);
void spool_resample_floor_close(spool_resample_floor *floor);

/* n samples of at most 8 channels, `stride` apart; returns how many came out, or less than 0. */
int spool_resample_floor_push(spool_resample_floor *floor, int channels, const float *in, int64_t stride, int n,
                              float *out, int64_t out_stride, int room);

#endif
