#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/control.h"

#include "control.h"
#include "nvcuvid.h"

enum { MAX_SURFACES = 32 };

/*
 * A decoded frame is the checksum of its bitstream. A mapped surface has that checksum in every eight bytes of luma.
 */
typedef struct {
    unsigned long decode_surfaces, output_surfaces;
    size_t pitch, height;
    uint64_t frames[MAX_SURFACES];
    CUdeviceptr outputs[MAX_SURFACES];
    int shown[MAX_SURFACES]; /* the frame that is mapped there, -1: none */
    CUstream stream;         /* the stream that filled surfaces last */
    int used;
} decoder;

typedef struct {
    uint64_t sum;
    size_t pitch, height;
} fill;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fake_nvcuvid_settings settings = {.largest = 8192};
static fake_nvcuvid_counters counters;

/* Returns a function of the driver, which is already loaded. */
static void *driver(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, name) : NULL;

    if (!found)
        abort();
    return found;
}

static void violate(const char *format, ...)
{
    va_list arguments;

    if (counters.violations++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(counters.violation, sizeof counters.violation, format, arguments);
    va_end(arguments);
}

static CUresult begin(const char *call)
{
    uintptr_t (*current)(void);

    *(void **)&current = driver("fake_current");
    pthread_mutex_lock(&lock);
    if (!current())
        violate("%s without a context", call);
    if (++counters.calls != settings.fail_call)
        return CUDA_SUCCESS;
    snprintf(counters.failed_call, sizeof counters.failed_call, "%s", call);
    return CUDA_ERROR_UNKNOWN;
}

static CUresult end(CUresult code)
{
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuvidGetDecoderCaps(CUVIDDECODECAPS *c)
{
    const CUresult code = begin("cuvidGetDecoderCaps");

    c->supported = !settings.refuse;
    c->engines = 1;
    c->formats = 1 << NV12 | 1 << P016;
    c->max_width = c->max_height = settings.largest;
    c->max_macroblocks = settings.largest * (settings.largest / 256 + 1);
    c->min_width = c->min_height = 16;
    return end(code);
}

/* Waits for queued work of the decoder, as NVDEC does. */
static void free_outputs(decoder *d)
{
    CUresult (*finish)(CUstream), (*release)(CUdeviceptr);

    *(void **)&finish = driver("cuStreamSynchronize");
    *(void **)&release = driver("cuMemFree_v2");
    if (d->used)
        finish(d->stream);
    for (unsigned long i = 0; i < d->output_surfaces; i++)
        if (d->outputs[i])
            release(d->outputs[i]);
    free(d);
}

CUresult cuvidCreateDecoder(void **out, CUVIDDECODECREATEINFO *info)
{
    CUresult (*alloc)(CUdeviceptr *, size_t), code = begin("cuvidCreateDecoder");

    *(void **)&alloc = driver("cuMemAlloc_v2");
    if (!code && (info->decode_surfaces > MAX_SURFACES || info->output_surfaces > MAX_SURFACES))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code)
        return end(code);
    decoder *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->decode_surfaces = info->decode_surfaces;
    d->output_surfaces = info->output_surfaces;
    d->pitch = (info->target_width * (info->format == P016 ? 2 : 1) + 255) / 256 * 256;
    d->height = info->target_height;
    for (unsigned long i = 0; i < d->output_surfaces && !code; i++) {
        d->shown[i] = -1;
        code = alloc(&d->outputs[i], d->pitch * (d->height + (d->height + 1) / 2));
    }
    if (code) {
        free_outputs(d);
        return end(code);
    }
    counters.created++;
    counters.decoders++;
    *out = d;
    return end(CUDA_SUCCESS);
}

CUresult cuvidDestroyDecoder(void *handle)
{
    decoder *d = handle;
    const CUresult code = begin("cuvidDestroyDecoder");

    for (unsigned long i = 0; i < d->output_surfaces; i++)
        if (d->shown[i] >= 0) {
            violate("a decoder is destroyed while a surface is mapped");
            counters.surfaces--;
        }
    free_outputs(d);
    counters.decoders--;
    return end(code);
}

CUresult cuvidDecodePicture(void *handle, CUVIDPICPARAMS *p)
{
    decoder *d = handle;
    const CUresult code = begin("cuvidDecodePicture");
    uint64_t sum = 14695981039346656037u;

    if (code)
        return end(code);
    if (p->index < 0 || (unsigned long)p->index >= d->decode_surfaces)
        return end(CUDA_ERROR_INVALID_VALUE);
    for (unsigned long i = 0; i < d->output_surfaces; i++)
        if (d->shown[i] == p->index)
            violate("a frame is decoded into a surface that is mapped");
    for (unsigned int i = 0; i < p->size; i++)
        sum = (sum ^ p->data[i]) * 1099511628211u;
    d->frames[p->index] = sum;
    counters.frames++;
    return end(CUDA_SUCCESS);
}

static void paint(void *bytes, void *argument)
{
    fill *f = argument;

    for (size_t i = 0; bytes && i < f->pitch * f->height; i += 8)
        memcpy((char *)bytes + i, &f->sum, 8);
    if (bytes)
        memset((char *)bytes + f->pitch * f->height, 128, f->pitch * ((f->height + 1) / 2));
    free(f);
}

CUresult cuvidMapVideoFrame64(void *handle, int index, unsigned long long *out, unsigned int *pitch,
                              CUVIDPROCPARAMS *params)
{
    int (*run)(const char *, uintptr_t, uint64_t, size_t, fake_work *, void *);
    decoder *d = handle;
    CUresult code = begin("cuvidMapVideoFrame64");
    unsigned long at = 0;

    *(void **)&run = driver("fake_run");
    while (at < d->output_surfaces && d->shown[at] >= 0)
        at++;
    if (!code && (at == d->output_surfaces || index < 0 || (unsigned long)index >= d->decode_surfaces))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    if (code)
        return end(code);
    fill *f = malloc(sizeof *f);
    if (!f)
        abort();
    *f = (fill){d->frames[index], d->pitch, d->height};
    code =
        run("NVDEC", (uintptr_t)params->stream, d->outputs[at], d->pitch * (d->height + (d->height + 1) / 2), paint, f);
    if (code) {
        free(f);
        return end(code);
    }
    d->shown[at] = index;
    d->stream = params->stream;
    d->used = 1;
    *out = d->outputs[at];
    *pitch = d->pitch;
    counters.mapped++;
    if (counters.most < ++counters.surfaces)
        counters.most = counters.surfaces;
    return end(CUDA_SUCCESS);
}

CUresult cuvidUnmapVideoFrame64(void *handle, unsigned long long address)
{
    decoder *d = handle;
    const CUresult code = begin("cuvidUnmapVideoFrame64");

    for (unsigned long i = 0; i < d->output_surfaces; i++)
        if (d->outputs[i] == address && d->shown[i] >= 0) {
            d->shown[i] = -1;
            counters.surfaces--;
            return end(code);
        }
    violate("a surface is unmapped that is not mapped");
    return end(CUDA_ERROR_INVALID_VALUE);
}

int fake_nvcuvid_reset(const fake_nvcuvid_settings *s)
{
    pthread_mutex_lock(&lock);
    const int used = counters.decoders || counters.surfaces;
    if (!used) {
        settings = *s;
        memset(&counters, 0, sizeof counters);
    }
    pthread_mutex_unlock(&lock);
    return used ? -1 : 0;
}

void fake_nvcuvid_count(fake_nvcuvid_counters *out)
{
    pthread_mutex_lock(&lock);
    *out = counters;
    pthread_mutex_unlock(&lock);
}

/* Functions that FFmpeg looks up but does not call. */
#define UNUSED(name)                     \
    CUresult name(void)                  \
    {                                    \
        return CUDA_ERROR_INVALID_VALUE; \
    }
UNUSED(cuvidCreateVideoParser)
UNUSED(cuvidCreateVideoSource)
UNUSED(cuvidCreateVideoSourceW)
UNUSED(cuvidCtxLock)
UNUSED(cuvidCtxLockCreate)
UNUSED(cuvidCtxLockDestroy)
UNUSED(cuvidCtxUnlock)
UNUSED(cuvidDestroyVideoParser)
UNUSED(cuvidDestroyVideoSource)
UNUSED(cuvidGetDecodeStatus)
UNUSED(cuvidGetSourceAudioFormat)
UNUSED(cuvidGetSourceVideoFormat)
UNUSED(cuvidGetVideoSourceState)
UNUSED(cuvidMapVideoFrame)
UNUSED(cuvidParseVideoData)
UNUSED(cuvidReconfigureDecoder)
UNUSED(cuvidSetVideoSourceState)
UNUSED(cuvidUnmapVideoFrame)
