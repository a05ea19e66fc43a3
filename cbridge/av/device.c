#include <dlfcn.h>
#include <stdio.h>

#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>

/* The types of CUDA that FFmpeg's header needs. */
#define CUDA_VERSION 0
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
#include <libavutil/hwcontext_cuda.h>

#include "av.h"

/* Flags in a decoder's opaque, besides the device's format. */
enum { FORMAT = 0xffff, STAYS = 1 << 16, CHOSEN = 1 << 17, REFUSED = 1 << 18 };

/* Frames that stay on the device have luma and pairs of chroma samples, 4:2:0. */
static int may_stay(const AVCodecContext *decoder)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(decoder->sw_pix_fmt);

    return format && format->nb_components >= 3 && format->log2_chroma_w == 1 && format->log2_chroma_h == 1;
}

/*
 * Chooses the device's frames if the stream allows it, otherwise the first format in host memory. If the device rejects
 * the stream, FFmpeg calls this again without the device's format.
 */
static enum AVPixelFormat choose(AVCodecContext *decoder, const enum AVPixelFormat *formats)
{
    const intptr_t wish = (intptr_t)decoder->opaque;

    for (const enum AVPixelFormat *f = formats; *f != AV_PIX_FMT_NONE; f++)
        if (*f == (wish & FORMAT) && (!(wish & STAYS) || may_stay(decoder))) {
            decoder->opaque = (void *)(wish | CHOSEN);
            return *f;
        }
    if (wish & CHOSEN)
        decoder->opaque = (void *)(wish | REFUSED);
    while (*formats != AV_PIX_FMT_NONE && av_pix_fmt_desc_get(*formats)->flags & AV_PIX_FMT_FLAG_HWACCEL)
        formats++;
    return *formats;
}

int spool_av_device_refused(const void *decoder)
{
    return ((intptr_t)((const AVCodecContext *)decoder)->opaque & REFUSED) != 0;
}

/* Returns the format of a device type's frames for the codec. */
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
    const int code = av_hwdevice_ctx_create(&d->hw_device_ctx, type, which, NULL,
                                            type == AV_HWDEVICE_TYPE_CUDA ? AV_CUDA_USE_PRIMARY_CONTEXT : 0);
    if (code < 0)
        return code == AVERROR(EINVAL) || code == AVERROR(ENOSYS) ? AVERROR_EXTERNAL : code;
    d->opaque = (void *)(intptr_t)frames;
    d->get_format = choose;
    return 0;
}

const char *spool_av_cuda_decoder(int codec)
{
    const AVCodec *c;

    for (void *at = NULL; (c = av_codec_iterate(&at));)
        if (c->id == (enum AVCodecID)codec && av_codec_is_decoder(c) && !(c->capabilities & AV_CODEC_CAP_HARDWARE) &&
            frames_of(c, AV_HWDEVICE_TYPE_CUDA) != AV_PIX_FMT_NONE)
            return c->name;
    return NULL;
}

int spool_av_cuda(void *decoder, uintptr_t context, uintptr_t stream, int held)
{
    AVCodecContext *d = decoder;
    const enum AVPixelFormat frames = frames_of(d->codec, AV_HWDEVICE_TYPE_CUDA);

    if (frames == AV_PIX_FMT_NONE)
        return AVERROR(ENOSYS);
    AVBufferRef *device = av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA);
    if (!device)
        return AVERROR_EXTERNAL;
    AVCUDADeviceContext *cuda = ((AVHWDeviceContext *)device->data)->hwctx;
    cuda->cuda_ctx = (CUcontext)context;
    cuda->stream = (CUstream)stream;
    const int code = av_hwdevice_ctx_init(device);
    if (code < 0) {
        av_buffer_unref(&device);
        return AVERROR_EXTERNAL;
    }
    d->hw_device_ctx = device;
    d->extra_hw_frames = held;
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT /* use the decoder's surfaces, as releases before this flag did */
    d->hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
#endif
    d->opaque = (void *)(intptr_t)(frames | STAYS);
    d->get_format = choose;
    return 0;
}

int spool_av_surface_of(const void *frame, spool_av_surface *s)
{
    const AVFrame *f = frame;

    if (!f->hw_frames_ctx || f->linesize[0] != f->linesize[1] || f->linesize[0] <= 0)
        return 0;
    switch (((const AVHWFramesContext *)f->hw_frames_ctx->data)->sw_format) {
    case AV_PIX_FMT_NV12:
        s->bits = 8;
        break;
    case AV_PIX_FMT_P010:
        s->bits = 10;
        break;
    case AV_PIX_FMT_P016:
        s->bits = 16;
        break;
    default:
        return 0;
    }
    s->luma = (uintptr_t)f->data[0];
    s->chroma = (uintptr_t)f->data[1];
    s->pitch = f->linesize[0];
    return 1;
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

int spool_av_library(const char *file, char *why, size_t size)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

    if (!library) {
        const char *text = dlerror();
        snprintf(why, size, "%s", text ? text : "");
        return -1;
    }
    dlclose(library);
    return 0;
}
