#include <limits.h>
#include <math.h>

#include <libavutil/channel_layout.h>
#include <libavutil/frame.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>

#include "sound.h"

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
    AVChannelLayout from = {0}, to = {0};

    if (layout && av_channel_layout_from_string(&from, layout) == 0 && from.nb_channels != in)
        av_channel_layout_uninit(&from);
    if (from.nb_channels == 0)
        av_channel_layout_default(&from, in);
    av_channel_layout_default(&to, out);
    int code = AVERROR_PATCHWELCOME; /* a number of channels that has no usual layout */
    if (from.order != AV_CHANNEL_ORDER_UNSPEC && to.order != AV_CHANNEL_ORDER_UNSPEC)
        /* the defaults of swresample's options */
        code = swr_build_matrix2(&from, &to, M_SQRT1_2, M_SQRT1_2, 0, normalized ? 1 : INT_MAX, 1, matrix, in,
                                 AV_MATRIX_ENCODING_NONE, NULL);
    av_channel_layout_uninit(&from);
    av_channel_layout_uninit(&to);
    return code;
}
