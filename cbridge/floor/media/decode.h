/* FFmpeg's decoding loop without other code. */
#ifndef SPOOL_FLOOR_DECODE_H
#define SPOOL_FLOOR_DECODE_H

#include <stdint.h>

typedef struct {
    int64_t frames, samples; /* samples per channel */
} spool_floor_counts;

/*
 * Decodes the best stream of a file on one thread. With rgb, video frames are converted to RGB. Returns FFmpeg's code.
 */
int spool_floor_decode(const char *url, int video, int rgb, spool_floor_counts *counts);

#endif
