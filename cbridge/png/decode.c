#include "frame.h"

int spool_png_decode(const uint8_t *data, size_t size, const spool_png_options *options, spool_sink *sink, uint8_t *dst,
                     size_t dst_size, size_t stride, const int32_t *flag, spool_png_report *report)
{
    spool_png_image image;
    spool_png_expander expander;
    spool_png_memory memory;
    int status = spool_png_read_image(&image, data, size, report);
    report->width = image.width;
    report->height = image.height;
    if (status != SPOOL_PNG_OK)
        return status;
    status = spool_png_choose_sink(&image, options, &sink, &memory, dst, dst_size, stride);
    if (status != SPOOL_PNG_OK)
        return status;
    if (!spool_png_expander_init(&expander, &image, options->channels, options->bits))
        return SPOOL_PNG_SHAPE;
    spool_png_frame frame = {
        .image = &image,
        .data = data,
        .size = size,
        .at = image.pixels,
        .name = SPOOL_PNG_IDAT,
        .options = options,
        .flag = flag,
        .report = report,
        .expander = &expander,
        .sink = sink,
    };
    size_t end;
    status = spool_png_read_frame(&frame, &end);
    if (status == SPOOL_PNG_OK) {
        if (!report->damaged)
            report->fraction = 1;
        spool_png_check_rest(data, size, end, report);
    }
    return status;
}
