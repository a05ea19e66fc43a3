#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>

#include "av.h"

/* AV_CUDA_USE_PRIMARY_CONTEXT, whose header needs CUDA's: one context for all who use the device. */
enum { CUDA_PRIMARY = 1 };

/* The device's frames where the stream allows it; else FFmpeg's own choice, in the machine's memory. */
static enum AVPixelFormat choose(AVCodecContext *decoder, const enum AVPixelFormat *formats)
{
    const enum AVPixelFormat wanted = (enum AVPixelFormat)(intptr_t)decoder->opaque;

    for (const enum AVPixelFormat *f = formats; *f != AV_PIX_FMT_NONE; f++)
        if (*f == wanted)
            return wanted;
    return avcodec_default_get_format(decoder, formats);
}

/* The format of the frames that a type of device gives for the codec. */
static enum AVPixelFormat frames_of(const AVCodec *codec, enum AVHWDeviceType type)
{
    const AVCodecHWConfig *config;

    for (int i = 0; (config = avcodec_get_hw_config(codec, i)); i++)
        if (config->device_type == type && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
            return config->pix_fmt;
    return AV_PIX_FMT_NONE;
}

int spool_av_device(void *decoder, const char *name, const char *which)
{
    AVCodecContext *d = decoder;
    const enum AVHWDeviceType type = av_hwdevice_find_type_by_name(name);

    if (type == AV_HWDEVICE_TYPE_NONE)
        return AVERROR(EINVAL);
    const enum AVPixelFormat frames = frames_of(d->codec, type);
    if (frames == AV_PIX_FMT_NONE)
        return AVERROR(ENOSYS);
    const int code =
        av_hwdevice_ctx_create(&d->hw_device_ctx, type, which, NULL, type == AV_HWDEVICE_TYPE_CUDA ? CUDA_PRIMARY : 0);
    if (code < 0)
        return code == AVERROR(EINVAL) || code == AVERROR(ENOSYS) ? AVERROR_EXTERNAL : code;
    d->opaque = (void *)(intptr_t)frames;
    d->get_format = choose;
    return 0;
}

int spool_av_device_download(void *frame)
{
    AVFrame *f = frame, *copy = av_frame_alloc();

    if (!copy)
        return AVERROR(ENOMEM);
    int code = av_hwframe_transfer_data(copy, f, 0);
    if (code >= 0)
        code = av_frame_copy_props(copy, f);
    if (code >= 0) {
        av_frame_unref(f);
        av_frame_move_ref(f, copy);
    }
    av_frame_free(&copy);
    return code;
}

int spool_av_device_type(const char *type)
{
    return av_hwdevice_find_type_by_name(type) != AV_HWDEVICE_TYPE_NONE;
}
