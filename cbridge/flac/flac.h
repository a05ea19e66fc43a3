/* Decoding of FLAC (RFC 9639), one frame per call. */
#ifndef SPOOL_FLAC_H
#define SPOOL_FLAC_H

#include <stddef.h>
#include <stdint.h>

#include "reason.h"

#define SPOOL_FLAC_CHANNELS 8

/* The properties common to all frames of a stream. */
typedef struct {
    int32_t rate, channels, bits;
    int32_t largest;  /* samples of the largest block */
    int32_t variable; /* 1: frames are numbered by first sample; 0: counted; -1: unknown */
    int32_t block;    /* if not variable: samples of each block but the last; 0: unknown */
} spool_flac_stream;

/*
 * Memory of the caller. It has room for `largest` samples of each channel in work and planes, and of one channel in
 * wide, which is NULL unless the stream has 32 bits. Samples of planes have 16 bits if the stream has at most 16, and
 * else 32 bits. They are in the high bits, and the low bits are zero.
 */
typedef struct {
    int32_t *work;
    int64_t *wide;
    void *planes;
} spool_flac_memory;

typedef struct {
    int64_t samples, bytes;
} spool_flac_frame;

/*
 * Decodes the frame at data, whose first sample is number `first`. The first frame sets the unknown properties of the
 * stream. Returns SPOOL_FLAC_DONE or a reason. After a reason the content of planes is undefined.
 */
int spool_flac_decode(spool_flac_stream *s, const spool_flac_memory *m, const uint8_t *data, size_t n, int64_t first,
                      spool_flac_frame *f);

/*
 * Searches for a frame's header, using its checksum, so it can find a false one. Returns its offset, or n if there is
 * none. *first is the number of the frame's first sample.
 */
size_t spool_flac_find(const spool_flac_stream *s, const uint8_t *data, size_t n, int64_t *first);

#endif
