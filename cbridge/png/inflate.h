/*
 * Inflates a zlib stream in steps, so that a caller can look at its cancel flag between them. The whole output lies
 * in one buffer, which is the window too. What zlib refuses is refused, code tables that are not complete included.
 */
#ifndef SPOOL_PNG_INFLATE_H
#define SPOOL_PNG_INFLATE_H

#include <stddef.h>
#include <stdint.h>

enum {
    SPOOL_INFLATE_MORE,  /* the output is there up to the stop; the stream goes on */
    SPOOL_INFLATE_DONE,  /* the stream has ended, and its checksum is right */
    SPOOL_INFLATE_ERROR, /* the stream is damaged, ends early, or is not as long as the output */
};

enum { SPOOL_INFLATE_BEYOND = 512 };

/* Table sizes: the most entries that complete codes of so many symbols need with the main tables' bits. */
enum {
    SPOOL_INFLATE_SYMBOL_BITS = 11,
    SPOOL_INFLATE_DISTANCE_BITS = 8,
    SPOOL_INFLATE_SYMBOLS = 2342,  /* 288 symbols, 11 bits, longest code 15 */
    SPOOL_INFLATE_DISTANCES = 402, /* 32 symbols, 8 bits, longest code 15 */
};

typedef struct spool_inflater spool_inflater;

/* Goes through the codes of a block, see inflate_codes.h. */
typedef int spool_inflate_codes(spool_inflater *s, uint8_t *stop);

struct spool_inflater {
    spool_inflate_codes *codes;
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *end, *summed; /* the checksum covers [start, summed) */
    uint64_t bits;                       /* the next bits of the input, from the lowest one */
    uint64_t left;                       /* how many of them count, in its low byte */
    unsigned missing;                    /* bytes of zeros that were taken behind the input */
    uint32_t sum;
    int state, last;
    size_t stored; /* bytes of a stored block to be copied */
    uint32_t symbols[SPOOL_INFLATE_SYMBOLS];
    uint32_t distances[SPOOL_INFLATE_DISTANCES];
};

void spool_inflate_init(spool_inflater *s, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);

/*
 * Goes on until s->out has come to `stop`, or up to SPOOL_INFLATE_BEYOND bytes behind it. Where stop is the end of the
 * output the stream must end there. Otherwise there must be room for these bytes. It returns earlier, with MORE, where
 * many blocks bring little.
 */
int spool_inflate_run(spool_inflater *s, uint8_t *stop);

/* The implementations of this build, fastest last; level 0 is plain C. */
int spool_inflate_levels(void);
spool_inflate_codes *spool_inflate_codes_at(int level);

spool_inflate_codes spool_inflate_codes_plain, spool_inflate_codes_bmi2;

/*
 * One of them, for tests: inflates in steps of so many bytes. Returns the status, and how much came.
 */
int spool_inflate_all(int level, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size, size_t step,
                      size_t *came);

#endif
