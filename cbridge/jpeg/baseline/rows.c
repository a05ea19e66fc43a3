#include "rows.h"

#include "decoder.h"

enum { ALIGN = 64 };

/*
 * The planes of one MCU row, each after the last row of the MCU row above, and the geometry of the rows made from them.
 */
typedef struct {
    const jpeg_header *header;
    const spool_baseline_color *color;
    spool_baseline_upsampling upsampling;
    int channels; /* of the rows */
    int planes;   /* that are used */
    int sub_x, sub_y;
    int context;     /* a row also depends on the adjacent chroma row */
    int left, right; /* columns to make: they begin and end with a chroma sample */
    int mcu_left, mcu_right;
    row_planes plane;      /* of the MCU row, from its first row on */
    uint8_t *upsampled[2]; /* memory for a row of each chroma plane */
    int top;               /* the image's row at the top of these */
    int next;              /* the next row to push */
} row_maker;

/* Bytes of a row: the image's width in whole MCUs. */
static size_t row_bytes(const jpeg_header *header, int component)
{
    return ((size_t)header->component[component].plane.stride + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t upsampled_bytes(const jpeg_header *header)
{
    return (spool_baseline_upsampled_bytes(header->width) + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t strip_bytes(const jpeg_header *header)
{
    size_t bytes = 2 * upsampled_bytes(header);
    for (int i = 0; i < header->components; i++)
        bytes += row_bytes(header, i) * (1 + header->component[i].v * SIDE);
    return bytes;
}

static void lay_strip_out(row_maker *m, uint8_t *strip)
{
    for (int i = 0; i < m->header->components; i++) {
        m->plane.stride[i] = row_bytes(m->header, i);
        m->plane.out[i] = strip + m->plane.stride[i];
        strip += m->plane.stride[i] * (1 + m->header->component[i].v * SIDE);
    }
    m->upsampled[0] = strip;
    m->upsampled[1] = strip + upsampled_bytes(m->header);
}

/* Chooses the upsampling of chroma by libjpeg-turbo's rules (jinit_upsampler). Fails if it is not implemented here. */
static int choose_upsampling(row_maker *m)
{
    const jpeg_header *header = m->header;
    const jpeg_component *c = header->component;
    m->sub_x = m->sub_y = 1;
    if (m->planes == 1)
        return c[0].h == header->max_h && c[0].v == header->max_v ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_SAMPLING;
    if (c[0].h != header->max_h || c[0].v != header->max_v || c[1].h != c[2].h || c[1].v != c[2].v)
        return SPOOL_BASELINE_SAMPLING;
    m->sub_x = header->max_h / c[1].h;
    m->sub_y = header->max_v / c[1].v;
    if (m->sub_x == 2)
        m->upsampling = c[1].plane.width <= PLAIN_WIDTH ? PLAIN : m->sub_y == 2 ? BOTH : WIDE;
    else
        m->upsampling = m->sub_y == 2 ? TALL : SAME;
    m->context = m->upsampling == TALL || m->upsampling == BOTH;
    return SPOOL_BASELINE_DONE;
}

/*
 * Chooses the columns that the sink reads, and one chroma sample more on both sides. Upsampling repeats the outermost
 * chroma sample, so the outermost columns of a crop would be wrong.
 */
static void choose_columns(row_maker *m, const spool_sink *sink)
{
    const jpeg_header *header = m->header;
    const int beside = m->sub_x == 2, mcu = SIDE * header->max_h;
    int right = sink->right > 0 ? sink->right : header->width;

    m->left = sink->right > 0 ? (sink->left / m->sub_x - beside) * m->sub_x : 0;
    m->left = m->left > 0 ? m->left : 0;
    right = ((right + m->sub_x - 1) / m->sub_x + beside) * m->sub_x;
    m->right = right < header->width ? right : header->width;
    m->mcu_left = m->left / mcu;
    m->mcu_right = (m->right + mcu - 1) / mcu;
}

/* Makes row y of the image, from column m->left on. */
static void make_row(const row_maker *m, int y, uint8_t *out)
{
    const int line = y - m->top, n = m->right - m->left;
    const uint8_t *luma = m->plane.out[0] + line * m->plane.stride[0] + m->left;
    if (m->planes == 1) {
        if (m->channels == 1)
            memcpy(out, luma, n);
        else
            for (int i = 0; i < n; i++, out += 3)
                out[0] = out[1] = out[2] = luma[i];
        return;
    }
    const int height = m->header->component[1].plane.height, left = m->left / m->sub_x;
    const int near = y / m->sub_y, below = y % 2;
    int far = near;
    if (m->context)
        far = below ? (near + 1 < height ? near + 1 : near) : (near > 0 ? near - 1 : near);
    const void *chroma[2];
    for (int i = 0; i < 2; i++) {
        const ptrdiff_t stride = m->plane.stride[1 + i];
        const uint8_t *first = m->plane.out[1 + i] - m->top / m->sub_y * stride + left;
        chroma[i] = spool_baseline_upsample(m->color, m->upsampling, first + near * stride, first + far * stride, below,
                                            (n + m->sub_x - 1) / m->sub_x, m->upsampled[i]);
    }
    spool_baseline_convert(m->color, m->upsampling, luma, chroma[0], chroma[1], n, out);
}

/* Pushes rows up to `end`. Returns the result of the sink. */
static int push_rows(row_maker *m, spool_sink *sink, int end)
{
    int answer = SPOOL_SINK_MORE;
    while (m->next < end && answer == SPOOL_SINK_MORE) {
        ptrdiff_t stride;
        int n;
        uint8_t *lent = sink->lend(sink, &stride, &n);
        if (lent == NULL || n < 1)
            return SPOOL_SINK_ERROR;
        n = n < end - m->next ? n : end - m->next;
        for (int i = 0; i < n; i++)
            make_row(m, m->next + i, lent + i * stride + (ptrdiff_t)m->left * m->channels);
        answer = sink->push(sink, lent, stride, n);
        m->next += n;
    }
    return answer;
}

/* Advances to the next MCU row: the last rows of this one become those above it. */
static void advance(row_maker *m)
{
    for (int i = 0; i < m->planes && m->context; i++) {
        const ptrdiff_t stride = m->plane.stride[i];
        const int last = m->header->component[i].v * SIDE - 1;
        memcpy(m->plane.out[i] - stride, m->plane.out[i] + last * stride, stride);
    }
    m->top += SIDE * m->header->max_v;
}

/*
 * Chooses the MCU rows [first, last) that contain the requested rows, and all that libjpeg-turbo reads for these, to
 * detect the same damage. libjpeg-turbo makes the last two rows of an MCU row after it has read the next one, and any
 * row of a progressive image after it has read the whole image.
 */
static void choose_rows(const row_maker *m, const spool_sink *sink, int *first, int *last)
{
    const int rows = SIDE * m->header->max_v, count = m->header->mcu_rows;
    *first = (m->context && sink->first > 0 ? sink->first - 1 : sink->first) / rows;
    *last = (sink->last - 1 + (m->context ? 2 : 0)) / rows + 1;
    *last = (*last + m->header->group - 1) / m->header->group * m->header->group;
    *last = *last < count && !m->header->progressive ? *last : count;
}

static int decode_rows(spool_baseline_decoder *decoder, row_maker *m, spool_sink *sink, const int32_t *flag)
{
    const int height = m->header->height, rows = SIDE * m->header->max_v;
    int first, last;
    choose_rows(m, sink, &first, &last);
    m->top = first * rows;
    m->next = sink->first;
    while (decoder->row < last) {
        const int row = decoder->row, wanted = row >= first && m->next < sink->last;
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        if (row > first)
            advance(m);
        const int reason = spool_baseline_decode_row(decoder, wanted ? m->mcu_left : 0, wanted ? m->mcu_right : 0,
                                                     m->planes, &m->plane);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        if (!wanted)
            continue;
        int end = row + 1 < m->header->mcu_rows ? m->top + rows - m->context : height;
        end = end < sink->last ? end : sink->last;
        const int answer = push_rows(m, sink, end);
        if (answer < 0)
            return SPOOL_BASELINE_SINK;
        if (answer == SPOOL_SINK_ENOUGH)
            m->next = sink->last;
    }
    const int to_end = sink->last == height || m->header->progressive;
    return to_end && decoder->row == m->header->mcu_rows ? spool_baseline_close(decoder) : SPOOL_BASELINE_DONE;
}

static int is_for(const jpeg_header *header, const spool_baseline_options *options, const spool_sink *sink)
{
    return options->width == header->width && options->height == header->height && 0 <= sink->first &&
           sink->first <= sink->last && sink->last <= header->height &&
           (sink->right == 0 || (0 <= sink->left && sink->left < sink->right && sink->right <= header->width));
}

int spool_baseline_rows(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                        const spool_baseline_options *options, spool_baseline_strip *strip, spool_sink *sink,
                        const int32_t *flag)
{
    const jpeg_header *header = &decoder->header;
    int reason = spool_baseline_open(decoder, data, size);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    if (header->components == 3 && !spool_baseline_is_ycc(header))
        return SPOOL_BASELINE_COLOR;
    if (!is_for(header, options, sink))
        return SPOOL_BASELINE_SHAPE;
    row_maker m = {.header = header, .color = decoder->color};
    m.channels = options->color == SPOOL_BASELINE_GRAY ? 1 : 3;
    m.planes = m.channels == 1 ? 1 : header->components;
    reason = choose_upsampling(&m);
    if (reason != SPOOL_BASELINE_DONE || (sink->first == sink->last && !header->progressive))
        return reason;
    strip->needed = strip_bytes(header);
    reason = spool_baseline_check_strip(decoder, strip);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    lay_strip_out(&m, strip->strip);
    choose_columns(&m, sink);
    return decode_rows(decoder, &m, sink, flag);
}
