/* FFmpeg's loop with nothing around it, for benchmarks: floor.c */
#ifndef SPOOL_AV_FLOOR_H
#define SPOOL_AV_FLOOR_H

#include <stdint.h>

typedef struct {
    int64_t frames, samples; /* of each channel */
} spool_av_floor;

/* Decodes the best stream of a file, by one thread; a video's frames go to RGB as well, if wanted. */
int spool_av_floor_decode(const char *url, int video, int rgb, spool_av_floor *counts);

#endif
