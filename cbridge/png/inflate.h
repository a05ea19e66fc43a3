/*
 * Inflates a zlib stream in steps, so that a caller can poll its cancel flag between them. The whole output is in one
 * buffer, which is also the window. Streams that zlib refuses are refused, including incomplete code tables.
 */
#ifndef SPOOL_PNG_INFLATE_H
#define SPOOL_PNG_INFLATE_H

#include <stddef.h>
#include <stdint.h>

enum {
    SPOOL_INFLATE_MORE,  /* the output is complete up to the stop; the stream continues */
    SPOOL_INFLATE_DONE,  /* the stream has ended, and its checksum is right */
    SPOOL_INFLATE_ERROR, /* the stream is damaged, ends early, or differs in length from the output */
};

enum { SPOOL_INFLATE_BEYOND = 512 };

/* Table sizes: the most entries that complete codes of that many symbols need, for main tables of these bits. */
enum {
    SPOOL_INFLATE_SYMBOL_BITS = 11,
    SPOOL_INFLATE_DISTANCE_BITS = 8,
    SPOOL_INFLATE_SYMBOLS = 2342,  /* 288 symbols, 11 bits, longest code 15 */
    SPOOL_INFLATE_DISTANCES = 402, /* 32 symbols, 8 bits, longest code 15 */
};

typedef struct spool_inflater spool_inflater;

/* Decodes the codes of a block, see inflate_codes.h. */
typedef int spool_inflate_codes(spool_inflater *s, uint8_t *stop);

struct spool_inflater {
    spool_inflate_codes *codes;
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *end, *summed; /* the checksum is updated for [start, summed) */
    uint64_t bits;                       /* the next bits of the input, lowest first */
    uint64_t left;                       /* the number of valid bits, in its low byte */
    unsigned missing;                    /* zero bytes that were taken beyond the end of the input */
    uint32_t sum;
    int state, last;
    size_t stored; /* remaining bytes of a stored block */
    uint32_t symbols[SPOOL_INFLATE_SYMBOLS];
    uint32_t distances[SPOOL_INFLATE_DISTANCES];
};

void spool_inflate_init(spool_inflater *s, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);

/*
 * Inflates until s->out reaches `stop`, or up to SPOOL_INFLATE_BEYOND bytes more. If stop is the end of the output, the
 * stream must end there; otherwise the output must have room for these bytes. It returns earlier, with MORE, if many
 * blocks yield little output.
 */
int spool_inflate_run(spool_inflater *s, uint8_t *stop);

/* The implementations of this build, slowest first; level 0 is plain C. */
int spool_inflate_levels(void);
spool_inflate_codes *spool_inflate_codes_at(int level);

spool_inflate_codes spool_inflate_codes_plain, spool_inflate_codes_bmi2;

/* Inflates with one of them in steps of step_size bytes, for tests. Returns the status and the number of bytes. */
int spool_inflate_all(int level, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size, size_t step,
                      size_t *came);

#endif
