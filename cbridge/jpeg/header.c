#include "reader.h"

static void read_header(spool_jpeg_reader *reader, spool_jpeg_header *header)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_read_header(jpeg, TRUE);
    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->components = jpeg->num_components;
    header->space = jpeg->jpeg_color_space;
    header->progressive = jpeg->progressive_mode;
}

int spool_jpeg_read_header(const uint8_t *data, size_t size, spool_jpeg_header *header, spool_jpeg_report *report)
{
    spool_jpeg_reader reader = {.report = report};
    if (setjmp(reader.escape) == 0) {
        spool_jpeg_open(&reader, data, size);
        read_header(&reader, header);
    }
    jpeg_destroy_decompress(&reader.jpeg);
    return reader.status;
}
