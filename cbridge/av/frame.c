#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
#include <libavutil/version.h>

#include "av.h"

/* Between looks at the flag: some 100 us of a large picture. */
enum { BAND = 64 };

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
#if LIBAVUTIL_VERSION_MAJOR >= 58
        .duration = from->duration,
        .key = (from->flags & AV_FRAME_FLAG_KEY) != 0,
        .interlaced = (from->flags & AV_FRAME_FLAG_INTERLACED) != 0,
#else
        .duration = from->pkt_duration,
        .key = from->key_frame != 0,
        .interlaced = from->interlaced_frame != 0,
#endif
    };
}

int spool_av_frame_push(const void *frame, spool_planes *planes, const int32_t *flag)
{
    const AVFrame *f = frame;
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(f->format);
    const int v = format ? format->log2_chroma_h : 0;

    if (!format || planes->first < 0 || planes->last > f->height)
        return SPOOL_AV_SHAPE;
    for (int32_t y = planes->first; y < planes->last; y += BAND) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        const ptrdiff_t luma = y, chroma = y >> v;
        const spool_band band = {
            .y = f->data[0] + luma * f->linesize[0],
            .u = f->data[1] + chroma * f->linesize[1],
            .v = f->data[2] + chroma * f->linesize[2],
            .y_stride = f->linesize[0],
            .uv_stride = f->linesize[1],
            .rows = planes->last - y < BAND ? planes->last - y : BAND,
        };
        const int answer = planes->push(planes, &band);
        if (answer < 0)
            return SPOOL_AV_SINK;
        if (answer == SPOOL_SINK_ENOUGH)
            break;
    }
    return 0;
}
