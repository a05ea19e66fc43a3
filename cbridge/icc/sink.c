#include <lcms2.h>
#include <string.h>

#include "icc.h"

/* A strip stays in the cache while it is decoded, converted and pushed. */
enum { STRIP_BYTES = 64 << 10, ALIGNMENT = 64 };

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int32_t pixel_bytes(const spool_icc_rows *rows)
{
    return rows->channels * (rows->bits / 8);
}

static int32_t strip_rows(const spool_icc_rows *rows)
{
    const int64_t n = STRIP_BYTES / ((int64_t)rows->width * pixel_bytes(rows));
    return n < 1 ? 1 : n > 16 ? 16 : (int32_t)n;
}

static size_t strip_bytes(const spool_icc_rows *rows)
{
    return aligned((size_t)strip_rows(rows) * rows->width * pixel_bytes(rows));
}

size_t spool_icc_sink_bytes(const spool_icc_rows *rows)
{
    return aligned(sizeof(spool_icc_sink)) + strip_bytes(rows) + aligned((size_t)rows->width * (rows->bits / 8));
}

/* Gray in three or four channels: repeats the sample and copies alpha. */
static void repeat(const spool_icc_sink *s, const uint8_t *in, uint8_t *out)
{
    const int channels = s->rows.channels, bytes = s->rows.bits / 8;
    for (int32_t x = 0; x < s->columns; x++, in += s->pixel, out += s->pixel) {
        for (int c = 0; c < 3; c++)
            memcpy(out + c * bytes, s->plane + x * bytes, bytes);
        if (channels == 4)
            memcpy(out + 3 * bytes, in + 3 * bytes, bytes);
    }
}

/* Converts the columns that the next sink reads. */
static void convert(const spool_icc_sink *s, const uint8_t *in, uint8_t *out)
{
    const int repeated = s->rows.color == SPOOL_ICC_GRAY && s->rows.channels > 1;
    in += (size_t)s->sink.left * s->pixel;
    out += (size_t)s->sink.left * s->next_pixel;
    cmsDoTransform(s->lcms, in, repeated ? s->plane : out, s->columns);
    if (repeated)
        repeat(s, in, out);
}

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_icc_sink *s = (spool_icc_sink *)sink;
    *stride = (ptrdiff_t)s->rows.width * s->pixel;
    *rows = s->strip_rows;
    return s->strip;
}

static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_icc_sink *s = (spool_icc_sink *)sink;
    while (n > 0) {
        ptrdiff_t out_stride = 0;
        int count = n;
        uint8_t *out = s->next->lend(s->next, &out_stride, &count);
        if (!out || count < 1)
            return SPOOL_SINK_ENOUGH;
        if (count > n)
            count = n;
        for (int y = 0; y < count; y++)
            convert(s, rows + y * stride, out + y * out_stride);
        const int code = s->next->push(s->next, out, out_stride, count);
        if (code != SPOOL_SINK_MORE)
            return code;
        rows += count * stride;
        n -= count;
    }
    return SPOOL_SINK_MORE;
}

int spool_icc_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    return sink->push(sink, rows, stride, n);
}

void spool_icc_sink_init(spool_icc_sink *s, spool_sink *next, const spool_icc_rows *rows, const spool_icc_transform *t)
{
    uint8_t *memory = (uint8_t *)s + aligned(sizeof *s);
    const int32_t pixel = pixel_bytes(rows);
    *s = (spool_icc_sink){
        .sink = *next,
        .next = next,
        .rows = *rows,
        .lcms = t->lcms,
        .columns = (next->right > 0 && next->right < rows->width ? next->right : rows->width) - next->left,
        .pixel = pixel,
        .next_pixel = rows->color == SPOOL_ICC_CMYK ? pixel / 4 * 3 : pixel,
        .strip_rows = strip_rows(rows),
        .strip = memory,
        .plane = memory + strip_bytes(rows),
    };
    s->sink.lend = lend;
    s->sink.push = push;
}
