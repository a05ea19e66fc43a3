#include <string.h>

#include <libavutil/frame.h>

#include "av.h"
#include "pixelformat.h"
#include "raster.h"

/* How samples are shifted in their words. */
typedef struct {
    int bytes, up, down;
} sample;

static uint16_t moved(uint16_t value, const sample *s)
{
    return (uint16_t)(value << s->up >> s->down);
}

/* Copies n samples, from every `step`-th to every `pitch`-th. */
static void copy(uint8_t *to, int pitch, const uint8_t *from, int step, int n, const sample *s)
{
    if (s->bytes == 1) {
        if (pitch == 1 && step == 1)
            memcpy(to, from, (size_t)n);
        else
            for (int i = 0; i < n; i++)
                to[i * pitch] = from[i * step];
        return;
    }
    uint16_t *words = (uint16_t *)to;
    const uint16_t *values = (const uint16_t *)from;
    for (int i = 0; i < n; i++)
        words[i * pitch] = moved(values[i * step], s);
}

int spool_av_frame_planes(const void *frame, int pairs, uint8_t *to, size_t bytes)
{
    const AVFrame *f = frame;
    spool_av_pixel_format layout;

    spool_av_pixel_format_describe(f->format, &layout);
    if (!layout.planar)
        return SPOOL_AV_SHAPE;
    const int gray = layout.components == 1;
    const int w = gray ? 0 : (f->width + layout.sub_x - 1) / layout.sub_x;
    const int h = gray ? 0 : (f->height + layout.sub_y - 1) / layout.sub_y;
    const size_t size = layout.depth > 8 ? 2 : 1;
    const size_t luma = size * (size_t)f->width * (size_t)f->height, chroma = size * (size_t)w * (size_t)h;
    if (bytes != luma + 2 * chroma)
        return SPOOL_AV_SHAPE;

    const int wanted = pairs && size == 2 ? 16 - layout.depth : 0; /* the shift of the output */
    const sample s = {(int)size, wanted > layout.shift ? wanted - layout.shift : 0,
                      layout.shift > wanted ? layout.shift - wanted : 0};
    for (int y = 0; y < f->height; y++)
        copy(to + (size_t)y * (size_t)f->width * size, 1, f->data[0] + (ptrdiff_t)y * f->linesize[0], 1, f->width, &s);
    for (int i = 0; i < 2; i++) { /* U, V */
        const int plane = layout.paired ? 1 : 1 + i, step = layout.paired ? 2 : 1;
        const size_t offset = layout.paired ? size * (size_t)(layout.paired == 2 ? 1 - i : i) : 0;
        for (int y = 0; y < h; y++) {
            const uint8_t *from = f->data[plane] + (ptrdiff_t)y * f->linesize[plane] + offset;
            uint8_t *row = to + luma;
            if (pairs)
                row += size * ((size_t)y * 2 * (size_t)w + (size_t)i);
            else
                row += (size_t)i * chroma + size * (size_t)y * (size_t)w;
            copy(row, pairs ? 2 : 1, from, step, w, &s);
        }
    }
    return 0;
}
