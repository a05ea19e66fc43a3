#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
#include <libavutil/version.h>

#include "av.h"

void spool_av_frame_describe(const void *frame, spool_av_frame *f)
{
    const AVFrame *from = frame;

    *f = (spool_av_frame){
        .pts = from->pts,
        .guess = from->best_effort_timestamp,
        .dts = from->pkt_dts,
        .width = from->width,
        .height = from->height,
        .format = from->format,
        .matrix = from->colorspace,
        .range = from->color_range,
        .primaries = from->color_primaries,
        .transfer = from->color_trc,
        .chroma_location = from->chroma_location,
        .samples = from->nb_samples,
        .rate = from->sample_rate,
        .channels = from->ch_layout.nb_channels,
        .corrupt = (from->flags & AV_FRAME_FLAG_CORRUPT) != 0 || from->decode_error_flags != 0,
        .hardware = from->hw_frames_ctx != NULL,
    };
#if LIBAVUTIL_VERSION_MAJOR >= 58
    f->duration = from->duration;
    f->key = (from->flags & AV_FRAME_FLAG_KEY) != 0;
    f->interlaced = (from->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    f->duration = from->pkt_duration;
    f->key = from->key_frame != 0;
    f->interlaced = from->interlaced_frame != 0;
#endif
}

int spool_av_frame_luma(const void *frame, spool_sink *sink)
{
    const AVFrame *f = frame;

    if (sink->first < 0 || sink->first > sink->last || sink->last > f->height)
        return SPOOL_AV_SHAPE;
    const uint8_t *rows = f->data[0] + sink->first * (ptrdiff_t)f->linesize[0];
    return sink->push(sink, rows, f->linesize[0], sink->last - sink->first) < 0 ? SPOOL_AV_SINK : 0;
}

int spool_av_frame_push(const void *frame, spool_planes *planes)
{
    const AVFrame *f = frame;
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(f->format);

    if (!format || f->width != planes->width || f->height != planes->height ||
        (format->comp[0].depth > 8 ? 2 : 1) != planes->bytes)
        return SPOOL_AV_SHAPE;
    /* A sink for gray takes the luma of any frame. */
    if (planes->planes > 1 &&
        (av_pix_fmt_count_planes(f->format) != planes->planes || 1 << format->log2_chroma_w != planes->h ||
         1 << format->log2_chroma_h != planes->v || (planes->planes == 3 && f->linesize[1] != f->linesize[2])))
        return SPOOL_AV_SHAPE;
    const spool_band image = {
        .y = f->data[0], .u = f->data[1], .v = f->data[2], .y_stride = f->linesize[0], .uv_stride = f->linesize[1]};
    return spool_planes_image(planes, &image) < 0 ? SPOOL_AV_SINK : 0;
}
