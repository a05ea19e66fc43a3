#include <libavcodec/avcodec.h>

#include "av.h"

void spool_av_decoder_prepare(void *decoder, int base_num, int base_den, int64_t max_pixels)
{
    AVCodecContext *d = decoder;
    d->pkt_timebase = (AVRational){base_num, base_den};
    d->max_pixels = max_pixels;
}

void spool_av_decoder_flush(void *decoder)
{
    avcodec_flush_buffers(decoder);
}

void spool_av_decoder_skip(void *decoder, int nonref)
{
    ((AVCodecContext *)decoder)->skip_frame = nonref ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
}

void spool_av_decoder_reset(void *decoder, int base_num, int base_den, int64_t max_pixels, int delay)
{
    AVCodecContext *d = decoder;
    d->has_b_frames = delay;
    d->skip_frame = AVDISCARD_DEFAULT;
    spool_av_decoder_prepare(decoder, base_num, base_den, max_pixels);
}
