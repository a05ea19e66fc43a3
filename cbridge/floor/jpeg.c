#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "floor.h"

enum { ROWS = 16, RAW_ROWS = MAX_SAMP_FACTOR * DCTSIZE };

typedef struct {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    int status;
} floor_reader;

static void fail(j_common_ptr common)
{
    floor_reader *reader = (floor_reader *)common;
    reader->status = 1;
    longjmp(reader->escape, 1);
}

static void ignore_message(j_common_ptr common)
{
    (void)common;
}

static void open_reader(floor_reader *reader, const uint8_t *data, size_t size)
{
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.output_message = ignore_message;
    jpeg_create_decompress(&reader->jpeg);
    jpeg_mem_src(&reader->jpeg, data, size);
    jpeg_read_header(&reader->jpeg, TRUE);
}

int spool_floor_jpeg(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    floor_reader reader = {0};
    struct jpeg_decompress_struct *jpeg = &reader.jpeg;
    if (setjmp(reader.escape) == 0) {
        open_reader(&reader, data, size);
        jpeg->out_color_space = JCS_RGB;
        jpeg_start_decompress(jpeg);
        size_t stride = (size_t)jpeg->output_width * 3;
        while (dst_size / stride >= jpeg->output_height && jpeg->output_scanline < jpeg->output_height) {
            JSAMPROW rows[ROWS];
            for (JDIMENSION i = 0; i < ROWS; i++)
                rows[i] = dst + (jpeg->output_scanline + i) * stride;
            jpeg_read_scanlines(jpeg, rows, ROWS);
        }
        jpeg_finish_decompress(jpeg);
    }
    jpeg_destroy_decompress(jpeg);
    return reader.status;
}

int spool_floor_jpeg_coefficients(const uint8_t *data, size_t size)
{
    floor_reader reader = {0};
    struct jpeg_decompress_struct *jpeg = &reader.jpeg;
    if (setjmp(reader.escape) == 0) {
        open_reader(&reader, data, size);
        jpeg_read_coefficients(jpeg);
        jpeg_finish_decompress(jpeg);
    }
    jpeg_destroy_decompress(jpeg);
    return reader.status;
}

int spool_floor_jpeg_planar(const uint8_t *data, size_t size)
{
    floor_reader reader = {0};
    struct jpeg_decompress_struct *jpeg = &reader.jpeg;
    if (setjmp(reader.escape) == 0) {
        open_reader(&reader, data, size);
        jpeg->raw_data_out = TRUE;
        jpeg->out_color_space = jpeg->jpeg_color_space;
        jpeg_start_decompress(jpeg);
        JSAMPARRAY planes[MAX_COMPONENTS];
        for (int i = 0; i < jpeg->num_components; i++) {
            jpeg_component_info *component = &jpeg->comp_info[i];
            planes[i] = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, component->width_in_blocks * DCTSIZE,
                                                component->v_samp_factor * DCTSIZE);
        }
        while (jpeg->output_scanline < jpeg->output_height)
            jpeg_read_raw_data(jpeg, planes, jpeg->max_v_samp_factor * DCTSIZE);
        jpeg_finish_decompress(jpeg);
    }
    jpeg_destroy_decompress(jpeg);
    return reader.status;
}

/* Sets the output rows of each component for an MCU row. Rows beyond a component's last block are written to spare. */
static int raw_rows(const struct jpeg_decompress_struct *jpeg, JDIMENSION mcu_row, uint8_t *dst, size_t dst_size,
                    JSAMPROW spare, JSAMPROW rows[MAX_COMPONENTS][RAW_ROWS])
{
    for (int i = 0; i < jpeg->num_components; i++) {
        const jpeg_component_info *c = &jpeg->comp_info[i];
        const size_t stride = (size_t)c->width_in_blocks * DCTSIZE, height = (size_t)c->height_in_blocks * DCTSIZE;
        const size_t n = (size_t)c->v_samp_factor * DCTSIZE, top = mcu_row * n;
        if (stride * height > dst_size || n > RAW_ROWS)
            return 0;
        for (size_t y = 0; y < n; y++)
            rows[i][y] = top + y < height ? dst + (top + y) * stride : spare;
        dst += stride * height;
        dst_size -= stride * height;
    }
    return 1;
}

int spool_floor_jpeg_planes(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    floor_reader reader = {0};
    struct jpeg_decompress_struct *jpeg = &reader.jpeg;
    if (setjmp(reader.escape) == 0) {
        open_reader(&reader, data, size);
        jpeg->raw_data_out = TRUE;
        jpeg->out_color_space = jpeg->jpeg_color_space;
        jpeg_start_decompress(jpeg);
        JSAMPROW rows[MAX_COMPONENTS][RAW_ROWS];
        JSAMPARRAY planes[MAX_COMPONENTS];
        const JSAMPROW spare = jpeg->mem->alloc_large((j_common_ptr)jpeg, JPOOL_IMAGE, jpeg->image_width + 8 * DCTSIZE);
        for (int i = 0; i < jpeg->num_components; i++)
            planes[i] = rows[i];
        const JDIMENSION n = jpeg->max_v_samp_factor * DCTSIZE;
        while (jpeg->output_scanline < jpeg->output_height) {
            if (!raw_rows(jpeg, jpeg->output_scanline / n, dst, dst_size, spare, rows))
                fail((j_common_ptr)jpeg);
            jpeg_read_raw_data(jpeg, planes, n);
        }
        jpeg_finish_decompress(jpeg);
        if (reader.errors.num_warnings > 0)
            fail((j_common_ptr)jpeg);
    }
    jpeg_destroy_decompress(jpeg);
    return reader.status;
}
