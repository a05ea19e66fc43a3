#include <libdeflate.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "floor.h"

typedef struct {
    png_structp png;
    png_infop info;
    const uint8_t *data;
    size_t left;
    int status;
    jmp_buf escape;
} floor_reader;

static void read_data(png_structp png, png_bytep out, size_t n)
{
    floor_reader *r = png_get_io_ptr(png);
    if (n > r->left)
        png_error(png, "end");
    memcpy(out, r->data, n);
    r->data += n;
    r->left -= n;
}

static void fail(png_structp png, png_const_charp text)
{
    floor_reader *r = png_get_error_ptr(png);
    (void)text;
    longjmp(r->escape, 1);
}

static void ignore_message(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* The same calls as torchvision's for RGB. */
static void read_rgb(floor_reader *r, uint8_t *dst, size_t dst_size)
{
    png_set_read_fn(r->png, r, read_data);
    png_set_user_limits(r->png, INT32_MAX, INT32_MAX);
    png_read_info(r->png, r->info);
    png_set_palette_to_rgb(r->png);
    png_set_expand_gray_1_2_4_to_8(r->png);
    png_set_gray_to_rgb(r->png);
    png_set_strip_16(r->png);
    png_set_strip_alpha(r->png);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    const size_t row = png_get_rowbytes(r->png, r->info), height = png_get_image_height(r->png, r->info);
    if (dst_size / row < height)
        png_error(r->png, "space");
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++)
            png_read_row(r->png, dst + y * row, NULL);
}

int spool_floor_png(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    floor_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return 1;
    r->data = data;
    r->left = size;
    r->status = 1;
    if (setjmp(r->escape) == 0) {
        r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, fail, ignore_message);
        r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
        if (r->info != NULL) {
            read_rgb(r, dst, dst_size);
            r->status = 0;
        }
    }
    const int status = r->status;
    png_destroy_read_struct(&r->png, &r->info, NULL);
    free(r);
    return status;
}

size_t spool_floor_png_encode(const uint8_t *rgb, int32_t width, int32_t height, int fast)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (uint32_t)width,
                       .height = (uint32_t)height,
                       .format = PNG_FORMAT_RGB,
                       .flags = fast ? PNG_IMAGE_FLAG_FAST : 0};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *file = malloc(size);

    if (file == NULL || !png_image_write_to_memory(&image, file, &size, 0, rgb, 0, NULL))
        size = 0;
    free(file);
    return size;
}

static uint32_t u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

enum { SIGNATURE = 8, HEAD = 8, FRAME = 12, IHDR = SIGNATURE + HEAD, FIRST = IHDR + 13 + 4 };

/* Compressed data: a pointer to the only chunk, or a copy of several. */
typedef struct {
    const uint8_t *data;
    size_t size;
    uint8_t *copy;
} stream;

static int gather(const uint8_t *data, size_t size, stream *s)
{
    size_t chunks = 0;
    for (size_t at = FIRST; size - at >= FRAME; at += FRAME + u32(data + at)) {
        const size_t length = u32(data + at);
        if (length > size - at - FRAME)
            return 1;
        if (memcmp(data + at + 4, "IDAT", 4) != 0) {
            if (chunks > 0)
                break;
            continue;
        }
        if (chunks == 0)
            s->data = data + at + HEAD;
        else if (s->copy == NULL) {
            if ((s->copy = malloc(size)) == NULL)
                return 1;
            memcpy(s->copy, s->data, s->size);
            s->data = s->copy;
        }
        if (chunks > 0)
            memcpy(s->copy + s->size, data + at + HEAD, length);
        s->size += length;
        chunks++;
    }
    return chunks == 0;
}

static int inflate_rows(const stream *s, size_t slack, spool_floor_rows *rows)
{
    const size_t bytes = rows->stride * (size_t)rows->height;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    size_t n = 0;
    rows->first = slack + rows->stride + 1;
    rows->size = rows->first - 1 + bytes + slack;
    rows->memory = malloc(rows->size);
    int failed = inflater == NULL || rows->memory == NULL;
    if (!failed) {
        memset(rows->memory, 0, rows->first - 1);
        failed = libdeflate_zlib_decompress(inflater, s->data, s->size, rows->memory + rows->first - 1, bytes, &n) !=
                     LIBDEFLATE_SUCCESS ||
                 n != bytes;
    }
    if (inflater != NULL)
        libdeflate_free_decompressor(inflater);
    return failed;
}

int spool_floor_png_inflate(const uint8_t *data, size_t size, size_t slack, spool_floor_rows *rows)
{
    static const int channels[] = {1, 0, 3, 1, 2, 0, 4};
    *rows = (spool_floor_rows){0};
    if (size < FIRST || memcmp(data + SIGNATURE + 4, "IHDR", 4) != 0 || data[IHDR + 9] > 6)
        return 1;
    const size_t bits = (size_t)channels[data[IHDR + 9]] * data[IHDR + 8];
    rows->stride = ((size_t)u32(data + IHDR) * bits + 7) / 8 + 1;
    rows->height = (int32_t)u32(data + IHDR + 4);
    rows->distance = bits < 8 ? 1 : (int32_t)bits / 8;
    stream s = {0};
    const int failed = gather(data, size, &s) || inflate_rows(&s, slack, rows);
    free(s.copy);
    return failed;
}
