#include <libdeflate.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "frame.h"

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

static void give_up(png_structp png, png_const_charp text)
{
    floor_reader *r = png_get_error_ptr(png);
    (void)text;
    longjmp(r->escape, 1);
}

static void say_nothing(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* The calls that torchvision makes for RGB. */
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

int spool_png_floor_rgb(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    floor_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return SPOOL_PNG_NO_MEMORY;
    r->data = data;
    r->left = size;
    r->status = SPOOL_PNG_CORRUPT;
    if (setjmp(r->escape) == 0) {
        r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, give_up, say_nothing);
        r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
        if (r->info != NULL) {
            read_rgb(r, dst, dst_size);
            r->status = SPOOL_PNG_OK;
        }
    }
    const int status = r->status;
    png_destroy_read_struct(&r->png, &r->info, NULL);
    free(r);
    return status;
}

size_t spool_png_floor_encode(const uint8_t *rgb, int32_t width, int32_t height, int fast)
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

/* Undoes the filters of all rows, the first of which begins at row. */
static int unfilter_rows(const spool_png_picture *picture, uint8_t *row, size_t stride)
{
    const int bits = spool_png_pixel_bits(picture->color, picture->depth);
    for (size_t y = 0; y < (size_t)picture->height; y++)
        if (row[y * stride - 1] >= SPOOL_PNG_FILTERS)
            return SPOOL_PNG_CORRUPT;
    spool_png_filter_at(spool_png_filter_levels() - 1)(row, stride, picture->height, stride - 1,
                                                       bits < 8 ? 1 : bits / 8);
    return SPOOL_PNG_OK;
}

int spool_png_floor_inflate(const uint8_t *data, size_t size, int unfilter)
{
    spool_png_report report = {0};
    spool_png_picture picture;
    spool_png_extent extent;
    spool_png_stream stream;
    if (spool_png_read_picture(&picture, data, size, &report) != SPOOL_PNG_OK)
        return SPOOL_PNG_CORRUPT;
    const spool_png_frame frame = {.data = data, .size = size, .at = picture.pixels, .name = SPOOL_PNG_IDAT};
    spool_png_measure(&frame, &extent);
    int status = spool_png_gather(&frame, &extent, &stream);
    const size_t stride = spool_png_row_bytes(&picture) + 1, bytes = stride * picture.height;
    const size_t head = SPOOL_PNG_SLACK + stride; /* and the row above the first one, of zeros */
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint8_t *out = malloc(head + bytes + SPOOL_PNG_SLACK);
    size_t n;
    if (out != NULL)
        memset(out, 0, head);
    if (status != SPOOL_PNG_OK || inflater == NULL || out == NULL)
        status = SPOOL_PNG_NO_MEMORY;
    else if (libdeflate_zlib_decompress(inflater, stream.data, stream.size, out + head, bytes, &n) !=
             LIBDEFLATE_SUCCESS)
        status = SPOOL_PNG_CORRUPT;
    else if (unfilter)
        status = n == bytes ? unfilter_rows(&picture, out + head + 1, stride) : SPOOL_PNG_CORRUPT;
    free(out);
    if (inflater != NULL)
        libdeflate_free_decompressor(inflater);
    free(stream.copy);
    return status;
}
