/*
 * Interlaced, large or irregular files: libpng inflates and unfilters them, and decides which irregularities are
 * errors.
 */
#include <png.h>
#include <setjmp.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

enum {
    PASSES = 7, /* of an interlaced image */
    STRIP = 16, /* rows between two polls of the flag */
    PIECES = 5,
    ROWS = 4,        /* a generous bound on the rows that libpng holds */
    STATE = 1 << 17, /* memory of libpng and zlib besides rows: less than 100 KB */
};

typedef struct {
    const uint8_t *data;
    size_t size;
} piece;

/*
 * The input of libpng: a file that consists of header, palette and pixels only. All other chunks are processed already.
 * For a frame of an animation, the header has the frame's size, and the pixels are one chunk.
 */
typedef struct {
    uint8_t header[SPOOL_PNG_SIGNATURE + SPOOL_PNG_CHUNK_FRAME + SPOOL_PNG_IHDR_BYTES];
    uint8_t palette[SPOOL_PNG_CHUNK_FRAME + 3 * 256];
    uint8_t chunk_head[SPOOL_PNG_CHUNK_HEAD], crc[4];
    piece pieces[PIECES]; /* header, palette, three for pixels */
    int piece;
} source;

typedef struct {
    png_structp png;
    png_infop info;
    spool_png_frame *frame;
    source source;
    uint8_t *pixels; /* one row, or all rows of an interlaced image */
    int64_t read;    /* number of pixels */
    int out_of_data, out_of_memory, cancelled;
    jmp_buf escape;
} reader;

static void put32(uint8_t *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = n >> (24 - 8 * i);
}

static uint32_t crc_of(uint32_t name, const uint8_t *data, size_t size)
{
    uint8_t letters[4];
    put32(letters, name);
    return libdeflate_crc32(libdeflate_crc32(0, letters, 4), data, size);
}

/* Completes a chunk whose contents follow its head; returns its size. */
static size_t seal(uint8_t *chunk, uint32_t name, size_t length)
{
    put32(chunk, length);
    put32(chunk + 4, name);
    put32(chunk + SPOOL_PNG_CHUNK_HEAD + length, crc_of(name, chunk + SPOOL_PNG_CHUNK_HEAD, length));
    return SPOOL_PNG_CHUNK_FRAME + length;
}

static void init_header(source *s, const spool_png_image *image)
{
    uint8_t *chunk = s->header + SPOOL_PNG_SIGNATURE, *ihdr = chunk + SPOOL_PNG_CHUNK_HEAD;
    memcpy(s->header, spool_png_signature, SPOOL_PNG_SIGNATURE);
    put32(ihdr, image->width);
    put32(ihdr + 4, image->height);
    ihdr[8] = image->depth;
    ihdr[9] = image->color;
    ihdr[12] = image->interlaced;
    s->pieces[0] = (piece){s->header, SPOOL_PNG_SIGNATURE + seal(chunk, SPOOL_PNG_IHDR, SPOOL_PNG_IHDR_BYTES)};
    if (image->color == SPOOL_PNG_PALETTE) {
        const size_t bytes = 3 * (size_t)image->colors;
        memcpy(s->palette + SPOOL_PNG_CHUNK_HEAD, image->palette, bytes);
        s->pieces[1] = (piece){s->palette, seal(s->palette, SPOOL_PNG_PLTE, bytes)};
    }
}

/*
 * Adds the file itself. The length of a truncated chunk becomes its actual length: libpng uses nothing of a chunk that
 * is shorter than declared.
 */
static void add_file(source *s, const spool_png_frame *frame, const spool_png_chunk *cut)
{
    const uint8_t *pixels = frame->data + frame->at;
    piece *p = s->pieces + 2;
    if (cut->at == 0) {
        p[0] = (piece){pixels, frame->size - frame->at};
        return;
    }
    put32(s->chunk_head, cut->there);
    put32(s->chunk_head + 4, SPOOL_PNG_IDAT);
    p[0] = (piece){pixels, cut->at - frame->at};
    p[1] = (piece){s->chunk_head, sizeof s->chunk_head};
    p[2] = (piece){cut->data, cut->there};
}

/*
 * Adds one chunk with all data of a frame. If a CRC was wrong, its CRC is wrong, and if a chunk was truncated, it has
 * none.
 */
static void add_stream(source *s, const spool_png_stream *stream, const spool_png_chunk *cut)
{
    piece *p = s->pieces + 2;
    put32(s->chunk_head, stream->size);
    put32(s->chunk_head + 4, SPOOL_PNG_IDAT);
    put32(s->crc, crc_of(SPOOL_PNG_IDAT, stream->data, stream->size) ^ !stream->intact);
    p[0] = (piece){s->chunk_head, sizeof s->chunk_head};
    p[1] = (piece){stream->data, stream->size};
    if (cut->at == 0)
        p[2] = (piece){s->crc, sizeof s->crc};
}

static void read_source(png_structp png, png_bytep out, size_t n)
{
    reader *r = png_get_io_ptr(png);
    source *s = &r->source;
    if (spool_cancelled(r->frame->flag)) { /* libpng inflates all data, also those beyond the last row */
        r->cancelled = 1;
        longjmp(r->escape, 1);
    }
    while (n > 0 && s->piece < PIECES) {
        piece *p = &s->pieces[s->piece];
        const size_t some = p->size < n ? p->size : n;
        memcpy(out, p->data, some);
        out += some;
        n -= some;
        p->data += some;
        p->size -= some;
        if (p->size == 0)
            s->piece++;
    }
    if (n > 0) {
        r->out_of_data = 1;
        png_error(png, "the data end within the pixels");
    }
}

static void fail(png_structp png, png_const_charp text)
{
    reader *r = png_get_error_ptr(png);
    spool_png_fail(r->frame->report, SPOOL_PNG_CORRUPT, "%s", text);
    longjmp(r->escape, 1);
}

static void warn(png_structp png, png_const_charp text)
{
    reader *r = png_get_error_ptr(png);
    spool_png_warn(r->frame->report, "%s", text);
}

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    reader *r = png_get_mem_ptr(png);
    void *memory = malloc(size);
    r->out_of_memory |= memory == NULL;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

/* Returns the status after an error, which the options may accept. */
static int settle(const reader *r)
{
    spool_png_report *report = r->frame->report;
    const double accept = r->frame->options->accept;
    if (r->cancelled)
        return SPOOL_CANCELLED;
    if (r->out_of_memory)
        return SPOOL_PNG_NO_MEMORY;
    report->fraction = (double)r->read / ((double)r->frame->image->width * r->frame->image->height);
    report->damaged = 1;
    if (accept > 0 && report->fraction >= accept)
        return SPOOL_PNG_OK;
    return r->out_of_data ? SPOOL_PNG_TRUNCATED : SPOOL_PNG_CORRUPT;
}

static int read_rows(reader *r)
{
    spool_png_frame *frame = r->frame;
    const int32_t last = frame->sink->last;
    frame->next = 0;
    for (int32_t y = 0; y < last && !frame->enough; y++) {
        if (y % STRIP == 0 && spool_cancelled(frame->flag))
            return SPOOL_CANCELLED;
        png_read_row(r->png, r->pixels, NULL);
        r->read += frame->image->width;
        const int status = spool_png_deliver(frame, r->pixels, 0, 1);
        if (status != SPOOL_PNG_OK)
            return status;
    }
    return SPOOL_PNG_OK;
}

/* Reads all passes into memory. Each pass fills the whole image, so that all rows have a version after the first. */
static int read_passes(reader *r)
{
    const int32_t width = r->frame->image->width, height = r->frame->image->height;
    const size_t row = spool_png_row_bytes(r->frame->image);
    for (int pass = 0; pass < PASSES; pass++)
        for (int32_t y = 0; y < height; y++) {
            if (y % STRIP == 0 && spool_cancelled(r->frame->flag))
                return SPOOL_CANCELLED;
            png_read_row(r->png, NULL, r->pixels + y * row);
            if (PNG_ROW_IN_INTERLACE_PASS(y, pass))
                r->read += PNG_PASS_COLS(width, pass);
            if (pass == 0)
                r->frame->next = y + 1; /* rows that can be delivered */
        }
    return SPOOL_PNG_OK;
}

/* Delivers the available rows of an interlaced image. */
static int deliver_all(reader *r)
{
    spool_png_frame *frame = r->frame;
    const size_t row = spool_png_row_bytes(frame->image);
    const int32_t rows = frame->next;
    frame->next = 0;
    return spool_png_deliver(frame, r->pixels, (ptrdiff_t)row, rows);
}

static int read_all(reader *r)
{
    const int interlaced = r->frame->image->interlaced;
    int status;
    if (setjmp(r->escape) == 0) {
        r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, fail, warn, r, allocate, release);
        if (r->png == NULL || (r->info = png_create_info_struct(r->png)) == NULL)
            return SPOOL_PNG_NO_MEMORY;
        png_set_read_fn(r->png, r, read_source);
        png_set_user_limits(r->png, INT32_MAX, INT32_MAX); /* sizes are checked already */
        png_read_info(r->png, r->info);
        png_set_interlace_handling(r->png);
        png_start_read_image(r->png);
        status = interlaced ? read_passes(r) : read_rows(r);
        if (status == SPOOL_PNG_OK)
            r->frame->report->fraction = 1;
    } else {
        status = settle(r);
    }
    if (status == SPOOL_PNG_OK && interlaced)
        status = deliver_all(r);
    return status;
}

int spool_png_read_any(spool_png_frame *frame, const spool_png_extent *extent)
{
    const int in_file = frame->name == SPOOL_PNG_IDAT;
    const size_t row = spool_png_row_bytes(frame->image);
    const size_t rows = frame->image->interlaced ? frame->image->height : 1;
    const size_t copied = in_file ? 0 : spool_png_stream_bytes(extent);
    frame->report->memory = (double)row * (rows + ROWS) + copied + STATE;
    if (frame->report->memory > frame->options->max_memory)
        return SPOOL_PNG_TOO_LARGE;
    reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return SPOOL_PNG_NO_MEMORY;
    spool_png_stream stream = {0};
    int status = in_file ? SPOOL_PNG_OK : spool_png_gather(frame, extent, &stream);
    r->frame = frame;
    r->pixels = calloc(rows, row);
    if (r->pixels == NULL)
        status = SPOOL_PNG_NO_MEMORY;
    if (status == SPOOL_PNG_OK) {
        init_header(&r->source, frame->image);
        if (in_file)
            add_file(&r->source, frame, &extent->cut);
        else
            add_stream(&r->source, &stream, &extent->cut);
        frame->report->engine = SPOOL_PNG_LIBPNG;
        status = read_all(r);
        png_destroy_read_struct(&r->png, &r->info, NULL);
    }
    free(stream.copy);
    free(r->pixels);
    free(r);
    return status;
}
