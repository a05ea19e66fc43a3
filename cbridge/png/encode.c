#include "encode.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "chunk.h"

/* The filters of PNG, by number. */
enum { NONE, SUB, UP, AVERAGE, PAETH, FILTERS };

/* Rows between polls of the flag. */
enum { LOOK = 64 };

/* In 16 bits and without branches, so that compilers vectorize it. */
static uint8_t paeth(int16_t a, int16_t b, int16_t c)
{
    const int16_t over_a = (int16_t)(b - c), over_b = (int16_t)(a - c), over_c = (int16_t)(over_a + over_b);
    const int16_t pa = over_a < 0 ? (int16_t)-over_a : over_a, pb = over_b < 0 ? (int16_t)-over_b : over_b;
    const int16_t pc = over_c < 0 ? (int16_t)-over_c : over_c;
    const int16_t nearer = pb <= pc ? b : c;
    return (uint8_t)((pa <= pb) & (pa <= pc) ? a : nearer);
}

/* Filters n bytes of a row with the row above; pixels are step bytes apart. Both rows are preceded by step zeros. */
static void filter_row(int filter, uint8_t *restrict to, const uint8_t *row, const uint8_t *above, size_t n,
                       size_t step)
{
    const uint8_t *left = row - step, *corner = above - step;

    switch (filter) {
    case NONE:
        memcpy(to, row, n);
        break;
    case SUB:
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(row[i] - left[i]);
        break;
    case UP:
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(row[i] - above[i]);
        break;
    case AVERAGE:
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(row[i] - ((left[i] + above[i]) >> 1));
        break;
    default:
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(row[i] - paeth(left[i], above[i], corner[i]));
    }
}

/* The sum of absolute differences, taken as signed bytes: the specification's heuristic to choose a filter. */
static uint64_t cost(const uint8_t *filtered, size_t n)
{
    uint64_t sum = 0;

    while (n > 0) {
        const size_t part = n < 4096 ? n : 4096; /* its sum fits in 32 bits, which vectors add faster */
        uint32_t small = 0;
        for (size_t i = 0; i < part; i++) {
            const uint8_t v = filtered[i], minus = (uint8_t)-v;
            small += v < minus ? v : minus;
        }
        sum += small;
        filtered += part;
        n -= part;
    }
    return sum;
}

/* Memory for two rows of pixels, preceded by zeros, and for a filtered row of each kind. */
typedef struct {
    uint8_t *memory, *row, *above, *filtered[FILTERS];
} rows;

static int make_rows(rows *r, size_t n, size_t step)
{
    r->memory = calloc(2 + FILTERS, n + step);
    if (!r->memory)
        return 0;
    r->row = r->memory + step;
    r->above = r->row + n + step;
    for (int f = 0; f < FILTERS; f++)
        r->filtered[f] = r->memory + (size_t)(2 + f) * (n + step);
    return 1;
}

/* Bytes of a pixel and of a row. */
static size_t pixel_bytes(const spool_png_pixels *p)
{
    return (size_t)p->channels * (size_t)p->bits / 8;
}

static size_t row_bytes(const spool_png_pixels *p)
{
    return (size_t)p->width * pixel_bytes(p);
}

/* Copies a row in the file's byte order: big-endian for 16 bits. */
static void copy_row(uint8_t *to, const uint8_t *row, size_t n, int32_t bits)
{
    if (bits == 8) {
        memcpy(to, row, n);
        return;
    }
    for (size_t i = 0; i < n; i += 2) {
        uint16_t v;
        memcpy(&v, row + i, sizeof v);
        to[i] = (uint8_t)(v >> 8);
        to[i + 1] = (uint8_t)v;
    }
}

/* Writes the bytes to deflate: the chosen filter of each row, and the filtered row. */
static int filter_image(uint8_t *to, const spool_png_pixels *p, const int32_t *flag)
{
    const size_t step = pixel_bytes(p), n = row_bytes(p);
    rows r;

    if (!make_rows(&r, n, step))
        return SPOOL_PNG_ENCODE_MEMORY;
    for (int32_t y = 0; y < p->height; y++, to += 1 + n) {
        int best = NONE;
        uint64_t least = UINT64_MAX;
        if (y % LOOK == 0 && spool_cancelled(flag)) {
            free(r.memory);
            return SPOOL_CANCELLED;
        }
        copy_row(r.row, p->pixels + (size_t)y * n, n, p->bits);
        for (int f = NONE; f < FILTERS; f++) {
            filter_row(f, r.filtered[f], r.row, r.above, n, step);
            const uint64_t sum = cost(r.filtered[f], n);
            if (sum < least) {
                least = sum;
                best = f;
            }
        }
        *to = (uint8_t)best;
        memcpy(to + 1, r.filtered[best], n);
        uint8_t *above = r.above;
        r.above = r.row;
        r.row = above;
    }
    free(r.memory);
    return SPOOL_PNG_ENCODED;
}

static uint8_t *put_u32(uint8_t *to, uint32_t n)
{
    to[0] = (uint8_t)(n >> 24);
    to[1] = (uint8_t)(n >> 16);
    to[2] = (uint8_t)(n >> 8);
    to[3] = (uint8_t)n;
    return to + 4;
}

/* Completes a chunk whose contents are in place, and returns the address of the next chunk. */
static uint8_t *seal(uint8_t *chunk, uint32_t name, uint32_t length)
{
    put_u32(put_u32(chunk, length), name);
    uint8_t *end = chunk + SPOOL_PNG_CHUNK_HEAD + length;
    return put_u32(end, libdeflate_crc32(0, chunk + 4, 4 + (size_t)length));
}

static uint8_t *put_header(uint8_t *to, const spool_png_pixels *p)
{
    uint8_t *contents = to + SPOOL_PNG_CHUNK_HEAD;

    put_u32(put_u32(contents, (uint32_t)p->width), (uint32_t)p->height);
    memset(contents + 8, 0, SPOOL_PNG_IHDR_BYTES - 8);
    contents[8] = (uint8_t)p->bits;
    contents[9] = p->channels == 1 ? 0 : p->channels == 3 ? 2 : 6; /* gray, RGB, RGBA */
    return seal(to, SPOOL_PNG_IHDR, SPOOL_PNG_IHDR_BYTES);
}

/* Allocates and writes the file. It reserves the bound of the deflater for n bytes. */
static uint8_t *put_file(struct libdeflate_compressor *deflater, const uint8_t *filtered, size_t n,
                         const spool_png_pixels *p, size_t *size)
{
    const size_t bound = libdeflate_zlib_compress_bound(deflater, n);
    uint8_t *file = malloc(SPOOL_PNG_SIGNATURE + 3 * SPOOL_PNG_CHUNK_FRAME + SPOOL_PNG_IHDR_BYTES + bound);

    if (!file)
        return NULL;
    memcpy(file, spool_png_signature, SPOOL_PNG_SIGNATURE);
    uint8_t *to = put_header(file + SPOOL_PNG_SIGNATURE, p);
    const size_t deflated = libdeflate_zlib_compress(deflater, filtered, n, to + SPOOL_PNG_CHUNK_HEAD, bound);
    if (deflated <= INT32_MAX) {
        to = seal(to, SPOOL_PNG_IDAT, (uint32_t)deflated);
        to = seal(to, SPOOL_PNG_IEND, 0);
        *size = (size_t)(to - file);
    } else {
        *size = SIZE_MAX;
    }
    return file;
}

int spool_png_encode(const spool_png_pixels *p, int32_t level, const int32_t *flag, uint8_t **file, size_t *size)
{
    const size_t n = (size_t)p->height * (1 + row_bytes(p));
    uint8_t *filtered = malloc(n);
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(level);
    int status = SPOOL_PNG_ENCODE_MEMORY;

    *file = NULL;
    *size = 0;
    if (filtered && deflater)
        status = filter_image(filtered, p, flag);
    if (status == SPOOL_PNG_ENCODED) {
        *file = put_file(deflater, filtered, n, p, size);
        status = !*file ? SPOOL_PNG_ENCODE_MEMORY : *size == SIZE_MAX ? SPOOL_PNG_ENCODE_LARGE : SPOOL_PNG_ENCODED;
    }
    libdeflate_free_compressor(deflater);
    free(filtered);
    return status;
}
