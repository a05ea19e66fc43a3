#include <limits.h>
#include <math.h>
#include <string.h>

#include <libavutil/channel_layout.h>
#include <libavutil/frame.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>

#include "sound.h"

/* SWR_CH_MAX: swr_build_matrix2 writes to a matrix of so many rows and columns, whatever the layouts. */
enum { MIXED = 64 };

int spool_av_sound_planes(const void *frame, void **planes, int32_t room)
{
    const AVFrame *f = frame;
    const int n = av_sample_fmt_is_planar(f->format) ? f->ch_layout.nb_channels : 1;

    if (n > room || !f->extended_data)
        return AVERROR(EINVAL);
    for (int i = 0; i < n; i++)
        planes[i] = f->extended_data[i];
    return n;
}

int spool_av_sound_matrix(const char *layout, int32_t in, int32_t out, int normalized, double *matrix)
{
    double weights[MIXED][MIXED] = {0};
    AVChannelLayout from = {0}, to = {0};

    if (in > MIXED || out > MIXED)
        return AVERROR_PATCHWELCOME;
    if (layout && av_channel_layout_from_string(&from, layout) == 0 && from.nb_channels != in)
        av_channel_layout_uninit(&from);
    if (from.nb_channels == 0)
        av_channel_layout_default(&from, in);
    av_channel_layout_default(&to, out);
    int code = AVERROR_PATCHWELCOME; /* a number of channels that has no usual layout */
    if (from.order != AV_CHANNEL_ORDER_UNSPEC && to.order != AV_CHANNEL_ORDER_UNSPEC)
        /* the defaults of swresample's options */
        code = swr_build_matrix2(&from, &to, M_SQRT1_2, M_SQRT1_2, 0, normalized ? 1 : INT_MAX, 1, weights[0], MIXED,
                                 AV_MATRIX_ENCODING_NONE, NULL);
    for (int32_t o = 0; o < out && code >= 0; o++)
        memcpy(matrix + (ptrdiff_t)o * in, weights[o], (size_t)in * sizeof *matrix);
    av_channel_layout_uninit(&from);
    av_channel_layout_uninit(&to);
    return code;
}

int spool_av_sound_layout(uint64_t mask, char *name, int size)
{
    AVChannelLayout layout = {0};
    int code = av_channel_layout_from_mask(&layout, mask);

    if (code >= 0)
        code = av_channel_layout_describe(&layout, name, (size_t)size);
    av_channel_layout_uninit(&layout);
    return code > size ? AVERROR(ENOSPC) : code;
}
