#include "reader.h"

/* Sets the subsampling of images with one component, or with three whose factors are 1 or 2. */
static void read_sampling(const struct jpeg_decompress_struct *jpeg, spool_jpeg_header *header)
{
    const jpeg_component_info *c = jpeg->comp_info;
    const int gray = jpeg->num_components == 1;
    header->sub_x = header->sub_y = gray;
    if (gray || jpeg->num_components != 3)
        return;
    int h = 1, v = 1;
    for (int i = 0; i < 3; i++) {
        h = c[i].h_samp_factor > h ? c[i].h_samp_factor : h;
        v = c[i].v_samp_factor > v ? c[i].v_samp_factor : v;
    }
    if (h <= 2 && v <= 2) {
        header->sub_x = h / c[2].h_samp_factor;
        header->sub_y = v / c[2].v_samp_factor;
    }
}

static void read_header(spool_jpeg_reader *reader, spool_jpeg_header *header)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_read_header(jpeg, TRUE);
    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->components = jpeg->num_components;
    header->space = jpeg->jpeg_color_space;
    header->progressive = jpeg->progressive_mode;
    read_sampling(jpeg, header);
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
