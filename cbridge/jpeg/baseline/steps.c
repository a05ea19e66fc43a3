#include "steps.h"

#include "decoder.h"

enum { ALIGN = 64 };

/* Takes n bytes of the memory, or returns NULL if it has too few. */
static uint8_t *take(uint8_t **memory, size_t *left, size_t n)
{
    const size_t gap = -(uintptr_t)*memory % ALIGN;
    if (n > *left || gap > *left - n)
        return NULL;
    uint8_t *taken = *memory + gap;
    *memory = taken + n;
    *left -= gap + n;
    return taken;
}

/* Advances windows as if all MCUs had been read that may begin in them. */
static int unstuff(coded_data *coded)
{
    for (;;) {
        while (!coded->complete) {
            coded->reader.next = coded->safe;
            const int reason = spool_baseline_refill(coded);
            if (reason != SPOOL_BASELINE_DONE)
                return reason;
        }
        if (coded->end - coded->from < 2)
            return SPOOL_BASELINE_END;
        if (coded->from[1] < MARKER_RST0 || coded->from[1] >= MARKER_SOI)
            return SPOOL_BASELINE_DONE;
        coded->from += 2;
        spool_baseline_begin(coded);
    }
}

static int unstuff_all(spool_baseline_decoder *decoder)
{
    progressive_image *p = &decoder->progressive;
    if (!decoder->header.progressive)
        return unstuff(&decoder->coded);
    int reason = SPOOL_BASELINE_DONE;
    for (int i = 0; i < p->scans && reason == SPOOL_BASELINE_DONE; i++)
        reason = unstuff(&p->reader[i]->coded);
    return reason;
}

/* Decodes MCU row by MCU row, the first `planes` components to samples, all rows into the same memory. */
static int decode(spool_baseline_decoder *decoder, int planes, uint8_t *memory, size_t left)
{
    const jpeg_header *header = &decoder->header;
    row_planes to = {0};
    for (int i = 0; i < planes; i++) {
        to.stride[i] = header->component[i].plane.stride;
        to.out[i] = take(&memory, &left, (size_t)to.stride[i] * header->component[i].v * SIDE);
        if (to.out[i] == NULL)
            return SPOOL_BASELINE_SHAPE;
    }
    while (decoder->row < header->mcu_rows) {
        const int reason = spool_baseline_decode_row(decoder, 0, header->mcu_columns, planes, &to);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
    }
    return spool_baseline_close(decoder);
}

/* Upsamples or converts as many rows as the image has. */
static int finish(const spool_baseline_decoder *decoder, int step, uint8_t *memory, size_t left)
{
    const jpeg_header *header = &decoder->header;
    const spool_baseline_color *color = decoder->color;
    if (header->components != 3)
        return SPOOL_BASELINE_CHANNELS;
    const int halved = header->max_h == 2 * header->component[1].h, low = header->max_v == 2 * header->component[1].v;
    const spool_baseline_upsampling how = halved && low ? BOTH : halved ? WIDE : low ? TALL : SAME;
    const size_t width = header->width, n = (width + halved) / (1 + halved);
    if (step == SPOOL_BASELINE_UPSAMPLE && (how == SAME || header->component[1].plane.width <= PLAIN_WIDTH))
        return SPOOL_BASELINE_SAMPLING;
    uint8_t *row[3], *upsampled[2], *rgb = take(&memory, &left, 3 * width);
    for (int i = 0; i < 3; i++)
        row[i] = take(&memory, &left, width); /* luma, or two of chroma, or one of each */
    for (int i = 0; i < 2; i++)
        upsampled[i] = take(&memory, &left, spool_baseline_upsampled_bytes(width));
    if (upsampled[1] == NULL)
        return SPOOL_BASELINE_SHAPE;
    const void *chroma[2];
    for (int i = 0; i < 2; i++)
        chroma[i] = spool_baseline_upsample(color, how, row[1 + i], row[1 + i], 0, n, upsampled[i]);
    for (int y = 0; y < header->height; y++)
        if (step == SPOOL_BASELINE_CONVERT)
            spool_baseline_convert(color, how, row[0], chroma[0], chroma[1], width, rgb);
        else
            for (int i = 0; i < 2; i++)
                spool_baseline_upsample(color, how, row[0], row[1], y % 2, n, upsampled[i]);
    return SPOOL_BASELINE_DONE;
}

int spool_baseline_step(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, int step, uint8_t *memory,
                        size_t memory_size)
{
    const int reason = spool_baseline_open(decoder, data, size);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    switch (step) {
    case SPOOL_BASELINE_UNSTUFF:
        return unstuff_all(decoder);
    case SPOOL_BASELINE_ENTROPY:
        return decode(decoder, 0, memory, memory_size);
    case SPOOL_BASELINE_SAMPLES:
        return decode(decoder, decoder->header.components, memory, memory_size);
    }
    return finish(decoder, step, memory, memory_size);
}
