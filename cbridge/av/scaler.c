#include <stdlib.h>

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "av.h"

/*
 * Rows converted at a time: they stay in the first cache until the sink has read them. A multiple of any chroma
 * subsampling. A filter over rows gives some more with the last ones, so that there is room for twice as many.
 */
enum { BAND = 16 };

/* Pixels that vector code may write at once: where a row has no room for its last ones, it leaves them out. */
enum { WIDTHS = 64 };

struct spool_av_scaler {
    struct SwsContext *sws;
    spool_av_scaling scaling;
    int palette, subsampled; /* of the frame's format: log2 of rows of luma to one of chroma */
    size_t stride;
    uint8_t *band;
};

/* Formats whose name says that their range is full. */
static int is_full(const AVFrame *f)
{
    switch (f->format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P:
        return 1;
    default:
        return f->color_range == AVCOL_RANGE_JPEG;
    }
}

void spool_av_scaling_of(const void *frame, spool_av_scaling *s)
{
    const AVFrame *f = frame;
    s->width = f->width;
    s->height = f->height;
    s->format = f->format;
    s->matrix = f->colorspace == AVCOL_SPC_RGB ? AVCOL_SPC_BT470BG : f->colorspace; /* swscale goes by way of YUV */
    s->range = is_full(f);
}

/* The flags and the order of what is set are vf_scale's, which others convert with. */
static int open_sws(spool_av_scaler *scaler)
{
    const spool_av_scaling *s = &scaler->scaling;
    const int *coefficients = sws_getCoefficients(s->matrix);

    scaler->sws = sws_getContext(s->width, s->height, s->format, s->width, s->height,
                                 s->deep ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24, SWS_BILINEAR, NULL, NULL, NULL);
    if (!scaler->sws)
        return AVERROR(EINVAL);
    /* Fails where no YUV is concerned. */
    sws_setColorspaceDetails(scaler->sws, coefficients, s->range, coefficients, 1, 0, 1 << 16, 1 << 16);
    return 0;
}

int spool_av_scaler_open(const spool_av_scaling *s, spool_av_scaler **opened)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(s->format);
    spool_av_scaler *scaler;

    *opened = NULL;
    if (!format || !sws_isSupportedInput(s->format))
        return AVERROR(ENOSYS);
    scaler = calloc(1, sizeof *scaler);
    if (!scaler)
        return AVERROR(ENOMEM);
    scaler->scaling = *s;
    scaler->palette = (format->flags & AV_PIX_FMT_FLAG_PAL) != 0;
    scaler->subsampled = format->log2_chroma_h;
    scaler->stride = ((size_t)s->width + WIDTHS - 1) / WIDTHS * WIDTHS * (s->deep ? 6 : 3);
    scaler->band = av_malloc(2 * BAND * scaler->stride);
    const int code = scaler->band ? open_sws(scaler) : AVERROR(ENOMEM);
    if (code < 0) {
        spool_av_scaler_close(scaler);
        return code;
    }
    *opened = scaler;
    return 0;
}

void spool_av_scaler_close(spool_av_scaler *scaler)
{
    sws_freeContext(scaler->sws);
    av_free(scaler->band);
    free(scaler);
}

/* Pushes rows [from, from + n) of the picture as far as they are wanted. */
static int push(spool_av_scaler *scaler, spool_sink *sink, int32_t from, int32_t n)
{
    const int32_t first = from > sink->first ? from : sink->first;
    const int32_t last = from + n < sink->last ? from + n : sink->last;

    if (first >= last)
        return SPOOL_SINK_MORE;
    return sink->push(sink, scaler->band + (size_t)(first - from) * scaler->stride, (ptrdiff_t)scaler->stride,
                      last - first);
}

int spool_av_scaler_rows(spool_av_scaler *scaler, const void *frame, spool_sink *sink, const int32_t *flag)
{
    const AVFrame *f = frame;
    const int stride = (int)scaler->stride;
    int32_t done = 0;

    if (sink->first < 0 || sink->last > f->height)
        return SPOOL_AV_SHAPE;
    for (int32_t y = 0; y < f->height && done < sink->last; y += BAND) {
        const int32_t rows = f->height - y < BAND ? f->height - y : BAND;
        const uint8_t *planes[4];
        /* Written is row `done` of a picture that begins this far before the band. */
        uint8_t *const picture = (uint8_t *)((uintptr_t)scaler->band - (size_t)done * scaler->stride);

        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t row = i == 1 || i == 2 ? y >> scaler->subsampled : y;
            planes[i] = f->data[i] && !(i == 1 && scaler->palette) ? f->data[i] + row * f->linesize[i] : f->data[i];
        }
        const int n = sws_scale(scaler->sws, planes, f->linesize, y, rows, &picture, &stride);
        if (n < 0)
            return n;
        const int answer = push(scaler, sink, done, n);
        if (answer < 0)
            return SPOOL_AV_SINK;
        if (answer == SPOOL_SINK_ENOUGH)
            break;
        done += n;
    }
    return 0;
}
