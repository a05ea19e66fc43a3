#include "bands.h"

#include "decoder.h"

enum {
    ALIGN = 64,
    BAND_ROWS = 16, /* of luma, at least: at small scales a band has several MCU rows */
};

/* Decodes MCU rows to bands of planes. */
typedef struct {
    const jpeg_header *header;
    int32_t planes;
    int32_t sub_y;
    int32_t height;                          /* rows of luma, at its scale */
    int32_t mcus;                            /* MCU rows of a band, at most */
    int32_t rows[SPOOL_BASELINE_COMPONENTS]; /* rows of samples in an MCU row */
    row_planes strip;
    int32_t mcu_left, mcu_right;
} band_maker;

static int32_t up(int32_t n, int32_t by)
{
    return (n + by - 1) / by;
}

static size_t stride_of(const spool_baseline_decoder *decoder, int component)
{
    const jpeg_component *c = &decoder->header.component[component];
    return (size_t)up(decoder->header.mcu_columns * c->h * decoder->side[component], ALIGN) * ALIGN;
}

static void prepare(band_maker *m, const spool_baseline_decoder *decoder, const spool_baseline_scales *scales)
{
    const jpeg_header *header = &decoder->header;
    m->header = header;
    m->planes = scales->gray ? 1 : header->components;
    m->sub_y = scales->sub_y;
    m->height = up(header->height * scales->luma, SIDE);
    for (int i = 0; i < m->planes; i++)
        m->rows[i] = header->component[i].v * decoder->side[i];
    m->mcus = up(BAND_ROWS, m->rows[0]);
}

static size_t strip_bytes(const band_maker *m, const spool_baseline_decoder *decoder)
{
    size_t bytes = 0;
    for (int i = 0; i < m->planes; i++)
        bytes += stride_of(decoder, i) * m->rows[i] * m->mcus;
    return bytes;
}

static void lay_strip_out(band_maker *m, const spool_baseline_decoder *decoder, uint8_t *strip)
{
    for (int i = 0; i < m->planes; i++) {
        m->strip.out[i] = strip;
        m->strip.stride[i] = stride_of(decoder, i);
        strip += m->strip.stride[i] * m->rows[i] * m->mcus;
    }
}

/* Reports whether luma is as large as the image, and both chroma planes have the same size. */
static int is_usual(const jpeg_header *header, int gray)
{
    const jpeg_component *c = header->component;
    return c[0].h == header->max_h && c[0].v == header->max_v &&
           (gray || header->components == 1 || (c[1].h == c[2].h && c[1].v == c[2].v));
}

/* Reports whether the sink was made for this image: its planes have the same sizes, and it takes all components. */
static int is_for(const jpeg_header *header, const spool_baseline_scales *s, const spool_planes *sink)
{
    const jpeg_component *c = header->component;
    if (s->width != header->width || s->height != header->height)
        return 0;
    if (!s->gray &&
        (header->components != SPOOL_BASELINE_COMPONENTS || c[0].h * s->luma != c[1].h * s->chroma * s->sub_x ||
         c[0].v * s->luma != c[1].v * s->chroma * s->sub_y))
        return 0;
    return 0 <= sink->first && sink->first < sink->last && sink->last <= up(header->height * s->luma, SIDE) &&
           0 <= sink->left && sink->left < sink->right && sink->right <= up(header->width * s->luma, SIDE);
}

/* Pushes the rows of n MCU rows, beginning with MCU row `row`, that the sink requests. */
static int push(const band_maker *m, int32_t row, int32_t n, spool_planes *sink)
{
    const int32_t top = row * m->rows[0], end = top + n * m->rows[0];
    const int32_t first = sink->first > top ? sink->first : top, last = sink->last < end ? sink->last : end;
    spool_band band = {.y_stride = m->strip.stride[0], .rows = last - first};
    if (first >= last)
        return SPOOL_SINK_MORE;
    band.y = m->strip.out[0] + (first - top) * band.y_stride;
    if (m->planes > 1) {
        band.uv_stride = m->strip.stride[1];
        band.u = m->strip.out[1] + (first - top) / m->sub_y * band.uv_stride;
        band.v = m->strip.out[2] + (first - top) / m->sub_y * band.uv_stride;
    }
    return sink->push(sink, &band);
}

/* Decodes MCU rows [row, end) to the strip. */
static int decode_band(spool_baseline_decoder *decoder, const band_maker *m, int32_t end, const int32_t *flag)
{
    row_planes to = m->strip;
    while (decoder->row < end) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        const int reason = spool_baseline_decode_row(decoder, m->mcu_left, m->mcu_right, m->planes, &to);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        for (int i = 0; i < m->planes; i++)
            to.out[i] += m->rows[i] * to.stride[i];
    }
    return SPOOL_BASELINE_DONE;
}

/* Skips MCU rows up to `end`. */
static int skip_rows(spool_baseline_decoder *decoder, int32_t end, const int32_t *flag)
{
    while (decoder->row < end) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        const int reason = spool_baseline_decode_row(decoder, 0, 0, 0, NULL);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
    }
    return SPOOL_BASELINE_DONE;
}

/*
 * The requested MCU rows are [first, last). The image is read up to `end`, to detect all damage that libjpeg-turbo
 * would detect. That is one MCU row more if chroma is halved in height, and all of a progressive image.
 */
static int decode_bands(spool_baseline_decoder *decoder, band_maker *m, spool_planes *sink, const int32_t *flag)
{
    const jpeg_header *header = m->header;
    const int32_t first = sink->first / m->rows[0], last = up(sink->last, m->rows[0]), count = header->mcu_rows;
    int32_t end = up(last + (header->max_v > 1), header->group) * header->group;
    end = end < count && !header->progressive ? end : count;
    m->mcu_left = sink->left / (header->max_h * decoder->side[0]);
    m->mcu_right = up(sink->right, header->max_h * decoder->side[0]);

    int reason = skip_rows(decoder, first, flag);
    while (decoder->row < last && reason == SPOOL_BASELINE_DONE) {
        const int32_t row = decoder->row, n = last - row < m->mcus ? last - row : m->mcus;
        reason = decode_band(decoder, m, row + n, flag);
        if (reason == SPOOL_BASELINE_DONE && push(m, row, n, sink) < 0)
            return SPOOL_BASELINE_SINK;
    }
    if (reason == SPOOL_BASELINE_DONE)
        reason = skip_rows(decoder, end, flag);
    const int to_end = header->progressive || (end == count && sink->last == m->height);
    return reason == SPOOL_BASELINE_DONE && to_end ? spool_baseline_close(decoder) : reason;
}

int spool_baseline_bands(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                         const spool_baseline_scales *scales, spool_baseline_strip *strip, spool_planes *sink,
                         const int32_t *flag)
{
    int reason = spool_baseline_open(decoder, data, size);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    if (decoder->header.components == 3 && !spool_baseline_is_ycc(&decoder->header))
        return SPOOL_BASELINE_COLOR;
    if (!is_usual(&decoder->header, scales->gray))
        return SPOOL_BASELINE_SAMPLING;
    if (!is_for(&decoder->header, scales, sink))
        return SPOOL_BASELINE_SHAPE;
    band_maker m = {0};
    spool_baseline_scale(decoder, scales->luma, scales->gray ? 1 : scales->chroma);
    prepare(&m, decoder, scales);
    strip->needed = strip_bytes(&m, decoder);
    reason = spool_baseline_check_strip(decoder, strip);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    lay_strip_out(&m, decoder, strip->strip);
    return decode_bands(decoder, &m, sink, flag);
}
