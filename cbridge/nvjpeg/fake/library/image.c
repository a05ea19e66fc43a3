#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"

#include <jpeglib.h>

typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf escape;
} trap;

static void leave(j_common_ptr jpeg)
{
    longjmp(((trap *)jpeg->err)->escape, 1);
}

static void say_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void open_image(struct jpeg_decompress_struct *jpeg, trap *t, const unsigned char *data, size_t n)
{
    jpeg->err = jpeg_std_error(&t->manager);
    t->manager.error_exit = leave;
    t->manager.output_message = say_nothing;
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, data, n);
}

nvjpegStatus_t read_header(const unsigned char *data, size_t n, struct nvjpegJpegStream *out)
{
    struct jpeg_decompress_struct jpeg = {0};
    trap t;

    if (setjmp(t.escape) != 0) {
        jpeg_destroy_decompress(&jpeg);
        return NVJPEG_STATUS_BAD_JPEG;
    }
    open_image(&jpeg, &t, data, n);
    jpeg_read_header(&jpeg, TRUE);
    out->parsed = 1;
    out->progressive = jpeg.progressive_mode;
    out->components = jpeg.num_components;
    out->width = jpeg.image_width;
    out->height = jpeg.image_height;
    const int arithmetic = jpeg.arith_code;
    jpeg_destroy_decompress(&jpeg);
    return arithmetic ? NVJPEG_STATUS_JPEG_NOT_SUPPORTED : NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t read_pixels(const unsigned char *data, size_t n, int strict, unsigned char **rgb, unsigned int *width,
                           unsigned int *height)
{
    struct jpeg_decompress_struct jpeg = {0};
    unsigned char *volatile pixels = NULL;
    trap t;

    if (setjmp(t.escape) != 0) {
        jpeg_destroy_decompress(&jpeg);
        free(pixels);
        return NVJPEG_STATUS_BAD_JPEG;
    }
    open_image(&jpeg, &t, data, n);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    const size_t stride = 3 * (size_t)jpeg.output_width;
    pixels = malloc(stride * jpeg.output_height);
    if (!pixels)
        abort();
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels + stride * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    *width = jpeg.output_width;
    *height = jpeg.output_height;
    jpeg_finish_decompress(&jpeg);
    const long warnings = t.manager.num_warnings;
    jpeg_destroy_decompress(&jpeg);
    if (strict && warnings > 0) {
        free(pixels);
        return NVJPEG_STATUS_BAD_JPEG;
    }
    *rgb = pixels;
    return NVJPEG_STATUS_SUCCESS;
}
