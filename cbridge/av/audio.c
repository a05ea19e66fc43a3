#include <limits.h>
#include <math.h>
#include <string.h>

#include <libavutil/channel_layout.h>
#include <libavutil/frame.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>

#include "audio.h"

/* SWR_CH_MAX: swr_build_matrix2 writes a matrix with this number of rows and columns, for any layouts. */
enum { MIXED = 64 };

int spool_av_audio_planes(const void *frame, void **planes, int32_t room)
{
    const AVFrame *f = frame;
    const int n = av_sample_fmt_is_planar(f->format) ? f->ch_layout.nb_channels : 1;

    if (n > room || !f->extended_data)
        return AVERROR(EINVAL);
    for (int i = 0; i < n; i++)
        planes[i] = f->extended_data[i];
    return n;
}

AVChannelLayout spool_av_usual_layout(int channels)
{
    AVChannelLayout layout = {.order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = channels};

    if (channels != 10 && channels != 12 && channels != 14) /* FFmpeg 7 has default layouts for these, 5.1 has none */
        av_channel_layout_default(&layout, channels);
    return layout;
}

/*
 * Selects the channels of a layout that are mixed: all except top front channels that `to` lacks. FFmpeg 7 mixes these
 * into the front channels, and 5.1 omits them. The result must be the same with both.
 */
static int audible(const AVChannelLayout *from, const AVChannelLayout *to, AVChannelLayout *part)
{
    const uint64_t above = AV_CH_TOP_FRONT_LEFT | AV_CH_TOP_FRONT_RIGHT;
    const uint64_t silent = av_channel_layout_subset(from, above) & ~av_channel_layout_subset(to, above);

    if (!silent)
        return av_channel_layout_copy(part, from);
    return av_channel_layout_from_mask(part, av_channel_layout_subset(from, ~silent));
}

int spool_av_audio_matrix(const char *layout, int32_t in, int32_t out, int normalized, double *matrix)
{
    double weights[MIXED][MIXED] = {0};
    AVChannelLayout from = {0}, part = {0}, to = spool_av_usual_layout(out);

    if (in > MIXED || out > MIXED)
        return AVERROR_PATCHWELCOME;
    if (layout && av_channel_layout_from_string(&from, layout) == 0 && from.nb_channels != in)
        av_channel_layout_uninit(&from);
    if (from.nb_channels == 0)
        from = spool_av_usual_layout(in);
    int code = AVERROR_PATCHWELCOME; /* no default layout for the number of channels */
    if (from.order != AV_CHANNEL_ORDER_UNSPEC && to.order != AV_CHANNEL_ORDER_UNSPEC)
        code = audible(&from, &to, &part);
    if (code >= 0) /* with the defaults of swresample's options */
        code = swr_build_matrix2(&part, &to, M_SQRT1_2, M_SQRT1_2, 0, normalized ? 1 : INT_MAX, 1, weights[0], MIXED,
                                 AV_MATRIX_ENCODING_NONE, NULL);
    for (int32_t i = 0; i < in && code >= 0; i++) {
        const int at = av_channel_layout_index_from_channel(&part, av_channel_layout_channel_from_index(&from, i));
        for (int32_t o = 0; o < out; o++)
            matrix[(ptrdiff_t)o * in + i] = at < 0 ? 0 : weights[o][at];
    }
    av_channel_layout_uninit(&part);
    av_channel_layout_uninit(&from);
    av_channel_layout_uninit(&to);
    return code;
}

int spool_av_audio_layout(uint64_t mask, char *name, int size)
{
    AVChannelLayout layout = {0};
    int code = av_channel_layout_from_mask(&layout, mask);

    if (code >= 0)
        code = av_channel_layout_describe(&layout, name, (size_t)size);
    av_channel_layout_uninit(&layout);
    return code > size ? AVERROR(ENOSPC) : code;
}
