#include <libavcodec/avcodec.h>

#include "av.h"

void spool_av_decoder_prepare(void *decoder, int base_num, int base_den, int64_t max_pixels)
{
    AVCodecContext *d = decoder;
    d->pkt_timebase = (AVRational){base_num, base_den};
    d->max_pixels = max_pixels;
}

/*
 * Discards frames that are ready. FFmpeg 7.1's HEVC decoder keeps them across a flush, and would return them after a
 * seek.
 */
static void discard_ready(AVCodecContext *d)
{
#if LIBAVCODEC_VERSION_MAJOR >= 61
    AVFrame *frame = d->codec_id == AV_CODEC_ID_HEVC ? av_frame_alloc() : NULL;
    while (frame && avcodec_receive_frame(d, frame) >= 0)
        ;
    av_frame_free(&frame);
#else
    (void)d;
#endif
}

void spool_av_decoder_flush(void *decoder)
{
    discard_ready(decoder);
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
