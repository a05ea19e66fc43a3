#include "encoder.h"

#include <stdio.h>
#include <stdlib.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avstring.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

#include "audio.h"

/* Samples of a frame if the codec has no frame size, such as PCM. */
enum { FRAME = 4096 };

/* Players assume BT.709 for a video without a matrix from this height on, and BT.601 below. */
enum { HIGH = 720 };

struct spool_av_encoder {
    AVCodecContext *codec;
    AVFrame *given, *stored; /* the same if no conversion is needed */
    int64_t samples;         /* encoded so far: the next pts */
    struct SwsContext *sws;
    SwrContext *swr;
    AVAudioFifo *fifo;
};

static const AVCodec *find(const char *name, enum AVMediaType type)
{
    /* Codec names first: "opus" is also the name of an experimental encoder. */
    const AVCodecDescriptor *d = avcodec_descriptor_get_by_name(name);
    const AVCodec *codec = d ? avcodec_find_encoder(d->id) : avcodec_find_encoder_by_name(name);
    return codec && codec->type == type ? codec : NULL;
}

#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
static const void *supported(const AVCodec *codec, enum AVCodecConfig what)
{
    const void *list = NULL;
    return avcodec_get_supported_config(NULL, codec, what, 0, &list, NULL) < 0 ? NULL : list;
}
#define PIXEL_FORMATS(codec) ((const enum AVPixelFormat *)supported(codec, AV_CODEC_CONFIG_PIX_FORMAT))
#define SAMPLE_FORMATS(codec) ((const enum AVSampleFormat *)supported(codec, AV_CODEC_CONFIG_SAMPLE_FORMAT))
#define RATES(codec) ((const int *)supported(codec, AV_CODEC_CONFIG_SAMPLE_RATE))
#else
#define PIXEL_FORMATS(codec) ((codec)->pix_fmts)
#define SAMPLE_FORMATS(codec) ((codec)->sample_fmts)
#define RATES(codec) ((codec)->supported_samplerates)
#endif

static int has(const enum AVPixelFormat *list, enum AVPixelFormat format)
{
    while (*list != AV_PIX_FMT_NONE && *list != format)
        list++;
    return *list == format;
}

/*
 * Chooses the format of the stream. A lossless codec stores the given format if it has it; so does any codec for YUV
 * 4:2:0. Other formats become 4:2:0, which all players support, or 4:4:4 for odd sizes. More than 8 bits become 10 if
 * the codec has them. If it has none of these, FFmpeg selects the closest format.
 */
static enum AVPixelFormat choose_pixels(const AVCodec *codec, const spool_av_encoding *e, enum AVPixelFormat given)
{
    const enum AVPixelFormat *list = PIXEL_FORMATS(codec);
    const AVCodecDescriptor *d = avcodec_descriptor_get(codec->id);
    const int lossless = d && (d->props & AV_CODEC_PROP_LOSSLESS) && !(d->props & AV_CODEC_PROP_LOSSY);
    const int even = e->width % 2 == 0 && e->height % 2 == 0;
    const enum AVPixelFormat deep = even ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV444P10;
    enum AVPixelFormat wanted = even ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;

    if (!list)
        return given;
    if ((lossless || given == AV_PIX_FMT_YUV420P) && has(list, given))
        return given;
    if (av_pix_fmt_desc_get(given)->comp[0].depth > 8 && !lossless && has(list, deep))
        return deep;
    if (codec->id == AV_CODEC_ID_MJPEG)
        wanted = even ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUVJ444P;
    if (!lossless && has(list, wanted))
        return wanted;
    return avcodec_find_best_pix_fmt_of_list(list, given, 1, NULL);
}

static AVFrame *new_image(enum AVPixelFormat format, int width, int height)
{
    AVFrame *f = av_frame_alloc();
    if (!f)
        return NULL;
    f->format = format;
    f->width = width;
    f->height = height;
    if (av_frame_get_buffer(f, 0) < 0)
        av_frame_free(&f);
    return f;
}

/* Sets the color metadata. Nothing is known about given YUV. */
static void set_color(AVCodecContext *c, enum AVPixelFormat given)
{
    const AVPixFmtDescriptor *stored = av_pix_fmt_desc_get(c->pix_fmt);

    if (c->codec_id == AV_CODEC_ID_MJPEG) {
        c->color_range = AVCOL_RANGE_JPEG;
    } else if (stored->flags & AV_PIX_FMT_FLAG_RGB) {
        c->color_range = AVCOL_RANGE_JPEG;
        c->colorspace = AVCOL_SPC_RGB;
    } else if (given != AV_PIX_FMT_YUV420P && stored->nb_components >= 3) {
        c->color_range = AVCOL_RANGE_MPEG;
        c->colorspace = c->height >= HIGH ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    }
}

/* The flags are those of the ffmpeg command. */
static int open_sws(spool_av_encoder *encoder, enum AVPixelFormat given)
{
    const AVCodecContext *c = encoder->codec;
    const int *coefficients = sws_getCoefficients(c->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601);

    encoder->sws =
        sws_getContext(c->width, c->height, given, c->width, c->height, c->pix_fmt, SWS_BICUBIC, NULL, NULL, NULL);
    if (!encoder->sws)
        return AVERROR(ENOSYS);
    /* Fails if no YUV is involved. */
    sws_setColorspaceDetails(encoder->sws, coefficients, given != AV_PIX_FMT_YUV420P, coefficients,
                             c->color_range == AVCOL_RANGE_JPEG, 0, 1 << 16, 1 << 16);
    return 0;
}

static int prepare_video(spool_av_encoder *encoder, const AVCodec *codec, const spool_av_encoding *e)
{
    AVCodecContext *c = encoder->codec;
    const enum AVPixelFormat given = av_get_pix_fmt(e->given);

    c->width = e->width;
    c->height = e->height;
    c->time_base = (AVRational){e->base_num, e->base_den};
    c->framerate = (AVRational){e->rate_num, e->rate_den};
    if (given == AV_PIX_FMT_NONE)
        return AVERROR(ENOSYS);
    c->pix_fmt = e->stored ? av_get_pix_fmt(e->stored) : choose_pixels(codec, e, given);
    if (c->pix_fmt == AV_PIX_FMT_NONE || (PIXEL_FORMATS(codec) && !has(PIXEL_FORMATS(codec), c->pix_fmt)))
        return AVERROR(ENOSYS);
    set_color(c, given);
    encoder->given = new_image(given, e->width, e->height);
    encoder->stored = given == c->pix_fmt ? encoder->given : new_image(c->pix_fmt, e->width, e->height);
    if (!encoder->given || !encoder->stored)
        return AVERROR(ENOMEM);
    return given == c->pix_fmt ? 0 : open_sws(encoder, given);
}

/* Returns the given sample format, or its planar variant, if the codec has it; otherwise the codec's first. */
static enum AVSampleFormat choose_samples(const AVCodec *codec, enum AVSampleFormat given)
{
    const enum AVSampleFormat *list = SAMPLE_FORMATS(codec);

    if (!list)
        return given;
    for (const enum AVSampleFormat *f = list; *f != AV_SAMPLE_FMT_NONE; f++)
        if (av_get_packed_sample_fmt(*f) == av_get_packed_sample_fmt(given))
            return *f;
    return list[0];
}

static int prepare_audio(spool_av_encoder *encoder, const AVCodec *codec, const spool_av_encoding *e)
{
    AVCodecContext *c = encoder->codec;
    const enum AVSampleFormat given = av_get_sample_fmt(e->given);

    c->sample_rate = e->rate_num;
    c->time_base = (AVRational){e->base_num, e->base_den};
    c->ch_layout = spool_av_usual_layout(e->channels);
    c->sample_fmt = e->stored ? av_get_sample_fmt(e->stored) : choose_samples(codec, given);
    if (given == AV_SAMPLE_FMT_NONE || c->sample_fmt == AV_SAMPLE_FMT_NONE)
        return AVERROR(ENOSYS);
    int code = swr_alloc_set_opts2(&encoder->swr, &c->ch_layout, c->sample_fmt, c->sample_rate, &c->ch_layout, given,
                                   c->sample_rate, 0, NULL);
    if (code >= 0)
        code = swr_init(encoder->swr);
    if (code < 0)
        return code;
    encoder->fifo = av_audio_fifo_alloc(c->sample_fmt, e->channels, FRAME);
    encoder->stored = av_frame_alloc();
    return encoder->fifo && encoder->stored ? 0 : AVERROR(ENOMEM);
}

int spool_av_encoder_open(const spool_av_encoding *e, void *options, spool_av_encoder **opened)
{
    const AVCodec *codec = find(e->codec, e->channels ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO);
    spool_av_encoder *encoder;

    *opened = NULL;
    if (!codec)
        return AVERROR_ENCODER_NOT_FOUND;
    encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return AVERROR(ENOMEM);
    encoder->codec = avcodec_alloc_context3(codec);
    int code = AVERROR(ENOMEM);
    if (encoder->codec) {
        encoder->codec->thread_count = e->threads;
        if (e->global)
            encoder->codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        code = e->channels ? prepare_audio(encoder, codec, e) : prepare_video(encoder, codec, e);
    }
    if (code >= 0)
        code = avcodec_open2(encoder->codec, codec, options);
    if (code < 0) {
        spool_av_encoder_close(encoder);
        return code;
    }
    *opened = encoder;
    return 0;
}

void spool_av_encoder_close(spool_av_encoder *encoder)
{
    avcodec_free_context(&encoder->codec);
    if (encoder->given != encoder->stored)
        av_frame_free(&encoder->given);
    av_frame_free(&encoder->stored);
    sws_freeContext(encoder->sws);
    swr_free(&encoder->swr);
    av_audio_fifo_free(encoder->fifo);
    free(encoder);
}

const char *spool_av_encoder_name(const spool_av_encoder *encoder)
{
    return encoder->codec->codec->name;
}

const char *spool_av_encoder_format(const spool_av_encoder *encoder)
{
    const AVCodecContext *c = encoder->codec;
    return c->codec_type == AVMEDIA_TYPE_VIDEO ? av_get_pix_fmt_name(c->pix_fmt)
                                               : av_get_sample_fmt_name(c->sample_fmt);
}

int spool_av_encoder_parameters(const spool_av_encoder *encoder, void *parameters)
{
    return avcodec_parameters_from_context(parameters, encoder->codec);
}

int spool_av_encoder_image(spool_av_encoder *encoder, const uint8_t *pixels, int64_t pts)
{
    AVFrame *given = encoder->given, *stored = encoder->stored;
    uint8_t *planes[4];
    int strides[4];

    /* Copied, because swscale may read beyond the end of rows. The encoder may still hold the previous image. */
    int code = av_frame_make_writable(given);
    if (code >= 0)
        code = av_image_fill_arrays(planes, strides, pixels, given->format, given->width, given->height, 1);
    if (code < 0)
        return code;
    av_image_copy(given->data, given->linesize, (const uint8_t **)planes, strides, given->format, given->width,
                  given->height);
    if (encoder->sws) {
        code = av_frame_make_writable(stored);
        if (code < 0)
            return code;
        sws_scale(encoder->sws, (const uint8_t *const *)given->data, given->linesize, 0, given->height, stored->data,
                  stored->linesize);
    }
    stored->pts = pts;
    return avcodec_send_frame(encoder->codec, stored);
}

int spool_av_encoder_samples(spool_av_encoder *encoder, const uint8_t *samples, ptrdiff_t stride, int32_t n)
{
    const AVCodecContext *c = encoder->codec;
    const uint8_t *given[64];
    uint8_t **converted = NULL;

    if (c->ch_layout.nb_channels > 64)
        return AVERROR(ENOSYS);
    for (int i = 0; i < c->ch_layout.nb_channels; i++)
        given[i] = samples + i * stride;
    int code = av_samples_alloc_array_and_samples(&converted, NULL, c->ch_layout.nb_channels, n, c->sample_fmt, 0);
    if (code < 0)
        return code;
    code = swr_convert(encoder->swr, converted, n, given, n);
    if (code >= 0)
        code = av_audio_fifo_write(encoder->fifo, (void **)converted, code);
    av_freep(&converted[0]);
    av_freep(&converted);
    return code;
}

int spool_av_encoder_step(spool_av_encoder *encoder, int end)
{
    const AVCodecContext *c = encoder->codec;
    const int wanted = c->frame_size > 0 ? c->frame_size : FRAME, there = av_audio_fifo_size(encoder->fifo);
    AVFrame *f = encoder->stored;

    if (there == 0 || (there < wanted && !end))
        return 0;
    av_frame_unref(f);
    f->format = c->sample_fmt;
    f->sample_rate = c->sample_rate;
    f->nb_samples = there < wanted ? there : wanted;
    int code = av_channel_layout_copy(&f->ch_layout, &c->ch_layout);
    if (code >= 0)
        code = av_frame_get_buffer(f, 0);
    if (code >= 0)
        code = av_audio_fifo_read(encoder->fifo, (void **)f->extended_data, f->nb_samples);
    if (code < 0)
        return code;
    f->pts = encoder->samples;
    encoder->samples += f->nb_samples;
    code = avcodec_send_frame(encoder->codec, f);
    return code < 0 ? code : 1;
}

int spool_av_encoder_drain(spool_av_encoder *encoder)
{
    return avcodec_send_frame(encoder->codec, NULL);
}

int spool_av_encoder_receive(spool_av_encoder *encoder, void *packet)
{
    const AVCodecContext *c = encoder->codec;
    AVPacket *p = packet;
    const int code = avcodec_receive_packet(encoder->codec, p);

    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
        return 0;
    if (code < 0)
        return code;
    if (p->duration == 0 && c->codec_type == AVMEDIA_TYPE_VIDEO)
        p->duration = av_rescale_q(1, av_inv_q(c->framerate), c->time_base);
    return 1;
}

size_t spool_av_encoders(int video, const char *format, const char **names, size_t room)
{
    const AVOutputFormat *of = format ? av_guess_format(format, NULL, NULL) : NULL;
    const int unusual = AV_CODEC_CAP_EXPERIMENTAL | AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID;
    const AVCodec *codec;
    void *at = NULL;
    size_t n = 0;

    while (n < room && (codec = av_codec_iterate(&at)))
        if (av_codec_is_encoder(codec) && codec->type == (video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO) &&
            !(codec->capabilities & unusual) && (!of || avformat_query_codec(of, codec->id, FF_COMPLIANCE_NORMAL) == 1))
            names[n++] = codec->name;
    return n;
}

void spool_av_encoder_rates(const char *name, char *text, size_t room)
{
    const AVCodec *codec = find(name, AVMEDIA_TYPE_AUDIO);
    const int *rate = codec ? RATES(codec) : NULL;

    *text = '\0';
    for (; rate && *rate; rate++)
        av_strlcatf(text, room, "%s%d", *text ? ", " : "", *rate);
}
