/* Frames of FLAC (RFC 9639) to samples, each call one frame. */
#ifndef SPOOL_FLAC_H
#define SPOOL_FLAC_H

#include <stddef.h>
#include <stdint.h>

#include "reason.h"

#define SPOOL_FLAC_CHANNELS 8

/* What all frames of a stream have in common. */
typedef struct {
    int32_t rate, channels, bits;
    int32_t largest;  /* samples of the largest block */
    int32_t variable; /* the frames' numbers are those of their first samples, and not their own; -1: not known yet */
    int32_t block;    /* otherwise samples of each block but the last; 0: not known yet */
} spool_flac_stream;

/* Memory of the caller's: `largest` samples for each of
 *  - work: each channel
 *  - wide: one channel; NULL but where the stream has 32 bits
 *  - planes: each channel, of 16 bits where the stream has no more, of 32 where it has. Samples are on top, zeros
 * below. */
typedef struct {
    int32_t *work;
    int64_t *wide;
    void *planes;
} spool_flac_memory;

typedef struct {
    int64_t samples, bytes;
} spool_flac_frame;

/* Decodes the frame that begins at data, whose first sample is number `first`. What the stream does not know of
 * itself it learns of the first frame. Returns SPOOL_FLAC_DONE or a reason; then planes are unspecified. */
int spool_flac_decode(spool_flac_stream *s, const spool_flac_memory *m, const uint8_t *data, size_t n, int64_t first,
                      spool_flac_frame *f);

/* Looks for what may be a frame's header, by its own checksum. Returns its offset, and n where there is none;
 * first is the number of its first sample. */
size_t spool_flac_find(const spool_flac_stream *s, const uint8_t *data, size_t n, int64_t *first);

#endif
