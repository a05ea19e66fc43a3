#include <libavutil/channel_layout.h>
#include <libswresample/swresample.h>

#include "resample.h"

spool_floor_resampler *spool_floor_resampler_open(int in, int out, int channels)
{
    AVChannelLayout layout = {0};
    SwrContext *swr = NULL;
    av_channel_layout_default(&layout, channels);
    if (swr_alloc_set_opts2(&swr, &layout, AV_SAMPLE_FMT_FLTP, out, &layout, AV_SAMPLE_FMT_FLTP, in, 0, NULL) < 0 ||
        swr_init(swr) < 0)
        swr_free(&swr);
    return swr;
}

void spool_floor_resampler_close(spool_floor_resampler *floor)
{
    swr_free(&floor);
}

int spool_floor_resampler_push(spool_floor_resampler *floor, int channels, const float *in, int64_t stride, int n,
                               float *out, int64_t out_stride, int room)
{
    const uint8_t *from[8];
    uint8_t *to[8];
    for (int c = 0; c < channels; c++) {
        from[c] = (const uint8_t *)(in + c * stride);
        to[c] = (uint8_t *)(out + c * out_stride);
    }
    return swr_convert(floor, to, room, from, n);
}
