/* FFmpeg's loop with nothing around it. */
#ifndef SPOOL_FLOOR_DECODE_H
#define SPOOL_FLOOR_DECODE_H

#include <stdint.h>

typedef struct {
    int64_t frames, samples; /* of each channel */
} spool_floor_counts;

/* Decodes the best stream of a file, by one thread; a video's frames go to RGB as well, if wanted. FFmpeg's code. */
int spool_floor_decode(const char *url, int video, int rgb, spool_floor_counts *counts);

#endif
