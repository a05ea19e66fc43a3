/* Iterates over the chunks of a PNG file. */
#ifndef SPOOL_PNG_CHUNK_H
#define SPOOL_PNG_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_PNG_NAME(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

enum {
    SPOOL_PNG_IHDR = SPOOL_PNG_NAME('I', 'H', 'D', 'R'),
    SPOOL_PNG_PLTE = SPOOL_PNG_NAME('P', 'L', 'T', 'E'),
    SPOOL_PNG_IDAT = SPOOL_PNG_NAME('I', 'D', 'A', 'T'),
    SPOOL_PNG_IEND = SPOOL_PNG_NAME('I', 'E', 'N', 'D'),
    SPOOL_PNG_tRNS = SPOOL_PNG_NAME('t', 'R', 'N', 'S'),
    SPOOL_PNG_iCCP = SPOOL_PNG_NAME('i', 'C', 'C', 'P'),
    SPOOL_PNG_eXIf = SPOOL_PNG_NAME('e', 'X', 'I', 'f'),
    SPOOL_PNG_acTL = SPOOL_PNG_NAME('a', 'c', 'T', 'L'),
    SPOOL_PNG_fcTL = SPOOL_PNG_NAME('f', 'c', 'T', 'L'),
    SPOOL_PNG_fdAT = SPOOL_PNG_NAME('f', 'd', 'A', 'T'),
};

enum {
    SPOOL_PNG_SIGNATURE = 8,    /* bytes before the first chunk */
    SPOOL_PNG_CHUNK_HEAD = 8,   /* length and name */
    SPOOL_PNG_CHUNK_FRAME = 12, /* both, and the CRC */
    SPOOL_PNG_IHDR_BYTES = 13,
};

extern const uint8_t spool_png_signature[SPOOL_PNG_SIGNATURE];

/* A file, read up to `at`. */
typedef struct {
    const uint8_t *data;
    size_t size, at;
} spool_png_file;

typedef struct {
    size_t at; /* offset of its length in the file */
    uint32_t name;
    uint32_t length;     /* of the contents, as declared */
    uint32_t there;      /* bytes of the contents that the file has */
    const uint8_t *data; /* the contents */
} spool_png_chunk;

enum {
    SPOOL_PNG_CHUNK_WHOLE,
    SPOOL_PNG_CHUNK_CUT,  /* the file ends within or before it */
    SPOOL_PNG_CHUNK_NONE, /* not a chunk: its length or name is impossible */
};

/* Reads the chunk at file->at and advances to the next one. */
int spool_png_next_chunk(spool_png_file *file, spool_png_chunk *chunk);

/* Whether the CRC of a complete chunk is right. */
int spool_png_intact(const spool_png_chunk *chunk);

/* Whether a decoder that does not know the chunk must refuse the file: its name begins with a capital letter. */
static inline int spool_png_is_critical(uint32_t name)
{
    return !(name >> 24 & 0x20);
}

static inline uint32_t spool_png_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t spool_png_u16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

#endif
