#include <stdlib.h>

#include <webp/demux.h>

#include "webp.h"

enum { STRIP = 64 }; /* rows between two looks at the flag */

struct spool_webp_animation {
    WebPAnimDecoder *decoder;
    WebPAnimInfo info;
};

spool_webp_animation *spool_webp_animation_open(const uint8_t *data, size_t size)
{
    const WebPData file = {data, size};
    spool_webp_animation *a = calloc(1, sizeof *a);
    WebPAnimDecoderOptions options;

    if (a == NULL || !WebPAnimDecoderOptionsInit(&options)) {
        free(a);
        return NULL;
    }
    options.color_mode = MODE_RGBA;
    a->decoder = WebPAnimDecoderNew(&file, &options);
    if (a->decoder == NULL || !WebPAnimDecoderGetInfo(a->decoder, &a->info)) {
        spool_webp_animation_close(a);
        return NULL;
    }
    return a;
}

int spool_webp_animation_next(spool_webp_animation *a, const spool_webp_options *options, spool_sink *sink,
                              const int32_t *flag, spool_webp_report *report)
{
    const ptrdiff_t stride = (ptrdiff_t)a->info.canvas_width * 4;
    uint8_t *canvas;
    int end;

    if (options->width != (int32_t)a->info.canvas_width || options->height != (int32_t)a->info.canvas_height)
        return SPOOL_WEBP_SHAPE;
    if (spool_cancelled(flag))
        return SPOOL_CANCELLED;
    if (!WebPAnimDecoderGetNext(a->decoder, &canvas, &end))
        return SPOOL_WEBP_FAILED;
    report->read = options->height;
    if (sink == NULL)
        return SPOOL_WEBP_OK;
    if (sink->first < 0 || sink->last > options->height)
        return SPOOL_WEBP_SHAPE;
    for (int32_t y = sink->first, last = sink->last; y < last; y += STRIP) {
        const int n = last - y < STRIP ? last - y : STRIP;
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        if (sink->push(sink, canvas + y * stride, stride, n) < 0)
            return SPOOL_WEBP_SINK;
        report->rows += n;
    }
    return SPOOL_WEBP_OK;
}

void spool_webp_animation_close(spool_webp_animation *a)
{
    if (a != NULL)
        WebPAnimDecoderDelete(a->decoder);
    free(a);
}
