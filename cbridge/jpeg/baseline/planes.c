/* Decodes whole planes. */
#include "decoder.h"

/* Sets the start of each plane. Returns 0 if they do not fit. */
static int lay_planes_out(const jpeg_header *header, uint8_t *planes, size_t size, row_planes *to)
{
    for (int i = 0; i < header->components; i++) {
        const spool_baseline_plane *plane = &header->component[i].plane;
        const size_t bytes = (size_t)plane->stride * plane->rows;
        if (bytes > size)
            return 0;
        to->out[i] = planes;
        to->stride[i] = plane->stride;
        planes += bytes;
        size -= bytes;
    }
    return 1;
}

int spool_baseline_planes(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, uint8_t *planes,
                          size_t planes_size, const int32_t *flag)
{
    row_planes to;
    int reason = spool_baseline_open(decoder, data, size);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    const jpeg_header *header = &decoder->header;
    if (!lay_planes_out(header, planes, planes_size, &to))
        return SPOOL_BASELINE_SHAPE;
    while (decoder->row < header->mcu_rows) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        reason = spool_baseline_decode_row(decoder, 0, header->mcu_columns, header->components, &to);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        for (int i = 0; i < header->components; i++)
            to.out[i] += to.stride[i] * header->component[i].v * SIDE;
    }
    return spool_baseline_close(decoder);
}
