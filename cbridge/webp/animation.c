#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "compose.h"
#include "pieces.h"
#include "webp.h"

enum { STRIP = 64, PIXEL = 4 }; /* STRIP: rows in a push */

struct spool_webp_animation {
    WebPDemuxer *demuxer;
    int32_t width, height, frames;
    spool_webp_frame last;   /* the last composed frame */
    uint8_t *canvas, *below; /* the canvas with the last frame, and the canvas below the next frame */
};

static size_t canvas_bytes(const spool_webp_animation *a)
{
    return (size_t)a->width * (size_t)a->height * PIXEL;
}

spool_webp_animation *spool_webp_animation_open(const uint8_t *data, size_t size)
{
    const WebPData file = {data, size};
    spool_webp_animation *a = calloc(1, sizeof *a);

    if (a == NULL)
        return NULL;
    a->demuxer = WebPDemux(&file);
    if (a->demuxer != NULL) {
        a->width = (int32_t)WebPDemuxGetI(a->demuxer, WEBP_FF_CANVAS_WIDTH);
        a->height = (int32_t)WebPDemuxGetI(a->demuxer, WEBP_FF_CANVAS_HEIGHT);
        a->frames = (int32_t)WebPDemuxGetI(a->demuxer, WEBP_FF_FRAME_COUNT);
        a->canvas = calloc(1, canvas_bytes(a));
        a->below = calloc(1, canvas_bytes(a));
    }
    if (a->canvas == NULL || a->below == NULL) {
        spool_webp_animation_close(a);
        return NULL;
    }
    return a;
}

/* Feeds a frame's data to its decoder. */
static int feed(WebPIDecoder *decoder, const WebPData *data, int lossless, const int32_t *flag)
{
    const size_t piece = spool_webp_piece(data->size, lossless);
    VP8StatusCode code = VP8_STATUS_SUSPENDED;

    for (size_t given = 0; code == VP8_STATUS_SUSPENDED && given < data->size;) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        given += data->size - given < piece ? data->size - given : piece;
        code = WebPIUpdate(decoder, data->bytes, given);
    }
    return code == VP8_STATUS_OK ? SPOOL_WEBP_OK : SPOOL_WEBP_FAILED;
}

/* Decodes a frame to its place on the canvas. */
static int decode(spool_webp_animation *a, const WebPData *data, const spool_webp_frame *frame, const int32_t *flag)
{
    enum { LOSSLESS = 2 };
    const size_t stride = (size_t)a->width * PIXEL;
    WebPDecoderConfig config;

    if (frame->x < 0 || frame->y < 0 || frame->width > a->width - frame->x || frame->height > a->height - frame->y ||
        !WebPInitDecoderConfig(&config) || WebPGetFeatures(data->bytes, data->size, &config.input) != VP8_STATUS_OK ||
        config.input.width != frame->width || config.input.height != frame->height)
        return SPOOL_WEBP_FAILED;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){
        .rgba = a->canvas + (size_t)frame->y * stride + (size_t)frame->x * PIXEL,
        .stride = (int)stride,
        .size = (size_t)frame->height * stride,
    };
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (decoder == NULL)
        return SPOOL_WEBP_MEMORY;
    const int status = feed(decoder, data, config.input.format == LOSSLESS, flag);
    WebPIDelete(decoder);
    return status;
}

/* Computes the canvas below the next frame. */
static void dispose(spool_webp_animation *a, const spool_webp_frame *frame)
{
    memcpy(a->below, a->canvas, canvas_bytes(a));
    for (int32_t y = frame->y; frame->clears && y < frame->y + frame->height; y++)
        memset(a->below + ((size_t)y * a->width + frame->x) * PIXEL, 0, (size_t)frame->width * PIXEL);
}

static int compose(spool_webp_animation *a, const WebPIterator *frame_data, const int32_t *flag)
{
    spool_webp_frame frame = {
        .x = frame_data->x_offset,
        .y = frame_data->y_offset,
        .width = frame_data->width,
        .height = frame_data->height,
        .number = frame_data->frame_num,
        .alpha = frame_data->has_alpha,
        .blends = frame_data->blend_method == WEBP_MUX_BLEND,
        .clears = frame_data->dispose_method == WEBP_MUX_DISPOSE_BACKGROUND,
    };
    frame.alone = spool_webp_is_alone(&frame, &a->last, a->width, a->height);
    if (frame.alone)
        memset(a->canvas, 0, canvas_bytes(a));
    else
        memcpy(a->canvas, a->below, canvas_bytes(a));
    const int status = decode(a, &frame_data->fragment, &frame, flag);
    if (status != SPOOL_WEBP_OK)
        return status;
    if (frame.blends && !frame.alone)
        spool_webp_blend(a->canvas, a->below, a->width, &frame, &a->last);
    dispose(a, &frame);
    a->last = frame;
    return SPOOL_WEBP_OK;
}

static int push(const spool_webp_animation *a, spool_sink *sink, const int32_t *flag, spool_webp_report *report)
{
    const ptrdiff_t stride = (ptrdiff_t)a->width * PIXEL;

    if (sink->first < 0 || sink->last > a->height)
        return SPOOL_WEBP_SHAPE;
    for (int32_t y = sink->first, last = sink->last; y < last; y += STRIP) {
        const int n = last - y < STRIP ? last - y : STRIP;
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        if (sink->push(sink, a->canvas + y * stride, stride, n) < 0)
            return SPOOL_WEBP_SINK;
        report->rows += n;
    }
    return SPOOL_WEBP_OK;
}

int spool_webp_animation_next(spool_webp_animation *a, const spool_webp_options *options, spool_sink *sink,
                              const int32_t *flag, spool_webp_report *report)
{
    WebPIterator frame;

    if (options->width != a->width || options->height != a->height)
        return SPOOL_WEBP_SHAPE;
    if (spool_cancelled(flag))
        return SPOOL_CANCELLED;
    if (a->last.number == a->frames || !WebPDemuxGetFrame(a->demuxer, a->last.number + 1, &frame))
        return SPOOL_WEBP_FAILED;
    const int status = compose(a, &frame, flag);
    WebPDemuxReleaseIterator(&frame);
    if (status != SPOOL_WEBP_OK)
        return status;
    report->read = a->height;
    return sink == NULL ? SPOOL_WEBP_OK : push(a, sink, flag, report);
}

void spool_webp_animation_close(spool_webp_animation *a)
{
    if (a == NULL)
        return;
    WebPDemuxDelete(a->demuxer);
    free(a->canvas);
    free(a->below);
    free(a);
}
