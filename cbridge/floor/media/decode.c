#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>

#include "decode.h"

typedef struct {
    AVFormatContext *input;
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame;
    struct SwsContext *sws;
    uint8_t *pixels[4];
    int strides[4];
} loop;

static int open_loop(loop *l, const char *url, int type)
{
    const AVCodec *codec = NULL;
    int code = avformat_open_input(&l->input, url, NULL, NULL);

    if (code >= 0)
        code = avformat_find_stream_info(l->input, NULL);
    if (code >= 0)
        code = av_find_best_stream(l->input, type, -1, -1, &codec, 0);
    if (code < 0)
        return code;
    const int stream = code;
    for (unsigned i = 0; i < l->input->nb_streams; i++)
        l->input->streams[i]->discard = (int)i == stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    l->decoder = avcodec_alloc_context3(codec);
    l->packet = av_packet_alloc();
    l->frame = av_frame_alloc();
    if (!l->decoder || !l->packet || !l->frame)
        return AVERROR(ENOMEM);
    code = avcodec_parameters_to_context(l->decoder, l->input->streams[stream]->codecpar);
    l->decoder->thread_count = 1;
    l->decoder->pkt_timebase = l->input->streams[stream]->time_base;
    if (code >= 0)
        code = avcodec_open2(l->decoder, codec, NULL);
    return code < 0 ? code : stream;
}

/* Converts a frame to a new RGB image, as most applications do. */
static int convert(loop *l)
{
    const AVFrame *f = l->frame;

    if (!l->sws) {
        l->sws = sws_getContext(f->width, f->height, f->format, f->width, f->height, AV_PIX_FMT_RGB24, SWS_BICUBIC,
                                NULL, NULL, NULL);
        if (!l->sws || av_image_alloc(l->pixels, l->strides, f->width, f->height, AV_PIX_FMT_RGB24, 64) < 0)
            return AVERROR(ENOMEM);
    }
    return sws_scale(l->sws, (const uint8_t *const *)f->data, f->linesize, 0, f->height, l->pixels, l->strides);
}

static int receive(loop *l, int rgb, spool_floor_counts *counts)
{
    int code;

    while ((code = avcodec_receive_frame(l->decoder, l->frame)) >= 0) {
        counts->frames++;
        counts->samples += l->frame->nb_samples;
        if (rgb && (code = convert(l)) < 0)
            return code;
    }
    return code == AVERROR(EAGAIN) || code == AVERROR_EOF ? 0 : code;
}

static int run(loop *l, int stream, int rgb, spool_floor_counts *counts)
{
    int code = 0;

    while (code >= 0 && (code = av_read_frame(l->input, l->packet)) >= 0) {
        if (l->packet->stream_index == stream && (code = avcodec_send_packet(l->decoder, l->packet)) >= 0)
            code = receive(l, rgb, counts);
        av_packet_unref(l->packet);
    }
    if (code != AVERROR_EOF)
        return code;
    code = avcodec_send_packet(l->decoder, NULL);
    return code < 0 ? code : receive(l, rgb, counts);
}

int spool_floor_decode(const char *url, int video, int rgb, spool_floor_counts *counts)
{
    loop l = {0};
    av_log_set_level(AV_LOG_QUIET);
    int code = open_loop(&l, url, video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO);

    if (code >= 0)
        code = run(&l, code, rgb, counts);
    av_freep(&l.pixels[0]);
    sws_freeContext(l.sws);
    av_frame_free(&l.frame);
    av_packet_free(&l.packet);
    avcodec_free_context(&l.decoder);
    avformat_close_input(&l.input);
    return code;
}
