#include <stdlib.h>

#include <libavutil/frame.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "av.h"
#include "pixelformat.h"

/*
 * Rows converted at a time. They stay in the L1 cache until the sink has read them. The number is a multiple of any
 * chroma subsampling. A vertical filter holds back up to 6 rows and returns them with the next band. For 4:2:0 it holds
 * back 4; together with a band they fit into the memory that a sink lends. Frames of a Bayer pattern are converted
 * whole, because swscale does not interpolate across the ends of its input.
 */
enum { BAND = 12 };

/* Pixels that vector code may write at once. If a row has no room for them, swscale does not write its last pixels. */
enum { WIDTHS = 64 };

/* Alignment of rows for the widest vector stores. */
enum { ALIGNMENT = 64 };

struct spool_av_scaler {
    struct SwsContext *sws;
    spool_av_scaling scaling;
    int palette, subsampled; /* of the frame's format: log2 of luma rows per chroma row */
    int32_t rows;            /* converted at a time */
    size_t stride;
    uint8_t *band;
};

/*
 * Sets the matrices and the range as the scale filter does. The second matrix is for RGB, as swscale converts some RGB
 * formats through YUV. Since FFmpeg 7 it does not depend on the frame.
 */
static void set_color(struct SwsContext *sws, const spool_av_scaling *s)
{
    const int *bt601 = sws_getCoefficients(AVCOL_SPC_BT470BG);
    const int *in = s->matrix == AVCOL_SPC_RGB ? bt601 : sws_getCoefficients(s->matrix);
    const int *out = FILTERS_HAVE_COLOR ? bt601 : in;

    /* Fails if no YUV is involved. */
    sws_setColorspaceDetails(sws, in, spool_av_is_full(s->format, s->range), out, 1, 0, 1 << 16, 1 << 16);
}

/*
 * For these formats swscale's converter omits the last column of an odd width, or parts of it. So it converts one more
 * column, whose pixels are padding of the frame's rows and which is not read.
 */
static int leaves_out_last(const spool_av_scaling *s)
{
    switch (s->format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVA420P:
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P:
        return s->width % 2 && s->height % 2 == 0;
    default:
        return 0;
    }
}

/*
 * Sets the options of the scale filter that the ffmpeg command inserts, in the same order. The chroma positions that
 * the filter sets are swscale's defaults.
 */
static int open_sws(spool_av_scaler *scaler)
{
    const spool_av_scaling *s = &scaler->scaling;
    const int width = s->width + leaves_out_last(s);
    struct SwsContext *sws = sws_alloc_context();

    if (!sws)
        return AVERROR(ENOMEM);
    scaler->sws = sws;
    av_opt_set_int(sws, "srcw", width, 0);
    av_opt_set_int(sws, "srch", s->height, 0);
    av_opt_set_int(sws, "src_format", s->format, 0);
    av_opt_set_int(sws, "dstw", width, 0);
    av_opt_set_int(sws, "dsth", s->height, 0);
    av_opt_set_int(sws, "dst_format", s->deep ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24, 0);
    av_opt_set_int(sws, "sws_flags", s->bilinear ? SWS_BILINEAR : SWS_BICUBIC, 0);
    av_opt_set_int(sws, "src_range", spool_av_is_full(s->format, s->range), 0);
    const int code = sws_init_context(sws, NULL, NULL);
    if (code >= 0)
        set_color(sws, s);
    return code;
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
    scaler->rows = format->flags & AV_PIX_FMT_FLAG_BAYER ? s->height : BAND;
    scaler->band = av_mallocz(2 * (size_t)scaler->rows * scaler->stride);
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

/*
 * Returns where swscale writes n rows from row `done`. It is the sink's memory, if that has the band's layout. swscale
 * may write beyond the end of a row, into the next row. So the last rows must be written to the band.
 */
static uint8_t *room(spool_av_scaler *scaler, spool_sink *sink, int32_t done, int32_t n)
{
    ptrdiff_t stride;
    int rows;

    if (done < sink->first || done + n >= sink->last)
        return scaler->band;
    uint8_t *const lent = sink->lend(sink, &stride, &rows);
    if (!lent || rows < n || stride != (ptrdiff_t)scaler->stride || (uintptr_t)lent % ALIGNMENT != 0)
        return scaler->band;
    return lent;
}

/* Pushes n rows, starting with row `from` of the frame, as far as the sink needs them. */
static int push(spool_av_scaler *scaler, spool_sink *sink, const uint8_t *rows, int32_t from, int32_t n)
{
    const int32_t first = from > sink->first ? from : sink->first;
    const int32_t last = from + n < sink->last ? from + n : sink->last;

    if (first >= last)
        return SPOOL_SINK_MORE;
    return sink->push(sink, rows + (size_t)(first - from) * scaler->stride, (ptrdiff_t)scaler->stride, last - first);
}

int spool_av_scaler_rows(spool_av_scaler *scaler, const void *frame, spool_sink *sink, const int32_t *flag)
{
    const AVFrame *f = frame;
    const int stride = (int)scaler->stride;
    int32_t done = 0;

    if (sink->first < 0 || sink->last > f->height)
        return SPOOL_AV_SHAPE;
    for (int32_t y = 0; y < f->height && done < sink->last; y += scaler->rows) {
        const int32_t rows = f->height - y < scaler->rows ? f->height - y : scaler->rows;
        const uint8_t *planes[4];

        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        uint8_t *const to = room(scaler, sink, done, y + rows - done);
        /* swscale gets the address of row 0, so that row `done` is at `to`. */
        uint8_t *const first = (uint8_t *)((uintptr_t)to - (size_t)done * scaler->stride);
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t row = i == 1 || i == 2 ? y >> scaler->subsampled : y;
            planes[i] = f->data[i] && !(i == 1 && scaler->palette) ? f->data[i] + row * f->linesize[i] : f->data[i];
        }
        const int n = sws_scale(scaler->sws, planes, f->linesize, y, rows, &first, &stride);
        if (n < 0)
            return n;
        const int answer = push(scaler, sink, to, done, n);
        if (answer < 0)
            return SPOOL_AV_SINK;
        if (answer == SPOOL_SINK_ENOUGH)
            break;
        done += n;
    }
    return 0;
}
