#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* The lock is released around calls of the driver: when an image is delivered, the driver's lock is taken first. */
fake_nvjpeg fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

nvjpegStatus_t begin(const char *call)
{
    pthread_mutex_lock(&fake.lock);
    if (++fake.counters.calls == fake.settings.fail_call) {
        snprintf(fake.counters.failed_call, sizeof fake.counters.failed_call, "%s", call);
        return fake.settings.fail_status;
    }
    if (fake.driver.current && fake.driver.current())
        return NVJPEG_STATUS_SUCCESS;
    violate("%s without a context", call);
    return NVJPEG_STATUS_EXECUTION_FAILED;
}

nvjpegStatus_t end(nvjpegStatus_t status)
{
    pthread_mutex_unlock(&fake.lock);
    return status;
}

void violate(const char *format, ...)
{
    va_list arguments;

    if (fake.counters.violations++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(fake.counters.violation, sizeof fake.counters.violation, format, arguments);
    va_end(arguments);
}

/* Nothing waits for images in flight on a lost device. */
static void violate_if_busy(nvjpegJpegState_t s, const char *call)
{
    pthread_mutex_unlock(&fake.lock);
    const int lost = fake.driver.lost();
    pthread_mutex_lock(&fake.lock);
    if (s->busy > 0 && !lost)
        violate("%s of a state with images in flight", call);
}

static void let_go(nvjpegJpegState_t s)
{
    if (s->ended && s->busy == 0)
        free(s);
}

nvjpegStatus_t nvjpegGetProperty(libraryPropertyType type, int *value)
{
    *value = fake.settings.version[type]; /* needs no context, and is called before Reset */
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegCreateEx(nvjpegBackend_t backend, nvjpegDevAllocator_t *device, nvjpegPinnedAllocator_t *pinned,
                              unsigned int flags, nvjpegHandle_t *out)
{
    const unsigned int known =
        NVJPEG_FLAGS_BITSTREAM_STRICT |
        (fake.settings.version[0] * 100 + fake.settings.version[1] >= 1201 ? NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION
                                                                           : 0);
    nvjpegStatus_t status = begin("nvjpegCreateEx");

    if (!status && (device || pinned || flags & ~known))
        status = NVJPEG_STATUS_INVALID_PARAMETER;
    if (!status && backend == NVJPEG_BACKEND_HARDWARE && !fake.settings.hardware)
        status = NVJPEG_STATUS_ARCH_MISMATCH;
    if (!status) {
        *out = calloc(1, sizeof **out);
        if (!*out)
            abort();
        (*out)->backend = backend;
        (*out)->flags = flags;
        fake.counters.handles++;
    }
    return end(status);
}

/* Destroy functions destroy their object even if they report a failure. */
nvjpegStatus_t nvjpegDestroy(nvjpegHandle_t handle)
{
    const nvjpegStatus_t status = begin("nvjpegDestroy");

    if (fake.counters.states + fake.counters.headers > 0 && fake.counters.handles == 1)
        violate("the handle is destroyed before its states");
    fake.counters.handles--;
    free(handle);
    return end(status);
}

nvjpegStatus_t nvjpegJpegStateCreate(nvjpegHandle_t handle, nvjpegJpegState_t *out)
{
    nvjpegStatus_t status = begin("nvjpegJpegStateCreate");
    struct nvjpegJpegState s = {.handle = handle};

    pthread_mutex_unlock(&fake.lock);
    if (!status && fake.driver.alloc(&s.memory, 4096) != 0)
        status = NVJPEG_STATUS_ALLOCATOR_FAILURE;
    pthread_mutex_lock(&fake.lock);
    if (!status) {
        *out = malloc(sizeof s);
        if (!*out)
            abort();
        **out = s;
        fake.counters.states++;
    }
    return end(status);
}

nvjpegStatus_t nvjpegJpegStateDestroy(nvjpegJpegState_t s)
{
    nvjpegStatus_t status = begin("nvjpegJpegStateDestroy");

    violate_if_busy(s, "nvjpegJpegStateDestroy");
    fake.counters.states--;
    pthread_mutex_unlock(&fake.lock);
    if (fake.driver.free(s->memory) != 0 && !status)
        status = NVJPEG_STATUS_EXECUTION_FAILED;
    pthread_mutex_lock(&fake.lock);
    s->ended = 1;
    let_go(s);
    return end(status);
}

nvjpegStatus_t nvjpegJpegStreamCreate(nvjpegHandle_t handle, nvjpegJpegStream_t *out)
{
    const nvjpegStatus_t status = begin("nvjpegJpegStreamCreate");

    if (!status) {
        *out = calloc(1, sizeof **out);
        if (!*out)
            abort();
        (*out)->handle = handle;
        fake.counters.headers++;
    }
    return end(status);
}

nvjpegStatus_t nvjpegJpegStreamDestroy(nvjpegJpegStream_t header)
{
    const nvjpegStatus_t status = begin("nvjpegJpegStreamDestroy");

    fake.counters.headers--;
    free(header);
    return end(status);
}

nvjpegStatus_t nvjpegJpegStreamParseHeader(nvjpegHandle_t handle, const unsigned char *data, size_t n,
                                           nvjpegJpegStream_t header)
{
    nvjpegStatus_t status = begin("nvjpegJpegStreamParseHeader");

    header->parsed = 0;
    if (handle != header->handle)
        violate("a header of another handle");
    if (!status)
        status = read_header(data, n, header);
    return end(status);
}

nvjpegStatus_t nvjpegJpegStreamGetFrameDimensions(nvjpegJpegStream_t header, unsigned int *width, unsigned int *height)
{
    const nvjpegStatus_t status = begin("nvjpegJpegStreamGetFrameDimensions");

    *width = header->width;
    *height = header->height;
    return end(status);
}

nvjpegStatus_t nvjpegDecodeBatchedSupported(nvjpegHandle_t handle, nvjpegJpegStream_t header, int *refused)
{
    const nvjpegStatus_t status = begin("nvjpegDecodeBatchedSupported");

    if (!header->parsed)
        violate("a query before anything was parsed");
    *refused = header->components == 4 || (handle->backend == NVJPEG_BACKEND_HARDWARE && header->progressive);
    return end(status);
}

nvjpegStatus_t nvjpegDecodeBatchedInitialize(nvjpegHandle_t handle, nvjpegJpegState_t s, int batch, int threads,
                                             nvjpegOutputFormat_t format)
{
    const nvjpegStatus_t status = begin("nvjpegDecodeBatchedInitialize");

    if (status)
        return end(status);
    if (handle != s->handle || batch < 1 || threads < 1 || format != NVJPEG_OUTPUT_RGBI)
        return end(NVJPEG_STATUS_INVALID_PARAMETER);
    violate_if_busy(s, "nvjpegDecodeBatchedInitialize");
    s->batch = batch;
    return end(NVJPEG_STATUS_SUCCESS);
}

/* An image that is queued for decoding into device memory. */
typedef struct {
    nvjpegJpegState_t state;
    const unsigned char *data;
    size_t size, pitch;
    uint64_t sum; /* checksum of the data when it was queued */
    unsigned char *rgb;
    unsigned int width, height;
} decoded;

static uint64_t sum(const unsigned char *p, size_t n)
{
    uint64_t s = 14695981039346656037u;

    while (n-- > 0)
        s = (s ^ *p++) * 1099511628211u;
    return s;
}

static void deliver(void *device, void *argument)
{
    decoded *d = argument;
    const size_t row = 3 * (size_t)d->width;

    pthread_mutex_lock(&fake.lock);
    if (device && sum(d->data, d->size) != d->sum)
        violate("an image's bytes changed while it was decoded");
    for (unsigned int y = 0; device && y < d->height; y++)
        memcpy((char *)device + y * d->pitch, d->rgb + y * row, row);
    d->state->busy--;
    let_go(d->state);
    pthread_mutex_unlock(&fake.lock);
    free(d->rgb);
    free(d);
}

static nvjpegStatus_t queue(decoded *d, const nvjpegImage_t *to, cudaStream_t stream)
{
    const size_t n = (d->height - 1) * d->pitch + 3 * (size_t)d->width;

    pthread_mutex_unlock(&fake.lock);
    const int code = fake.driver.run("nvJPEG", (uintptr_t)stream, (uintptr_t)to->channel[0], n, deliver, d);
    pthread_mutex_lock(&fake.lock);
    return code ? NVJPEG_STATUS_EXECUTION_FAILED : NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t decode(nvjpegJpegState_t s, const unsigned char *data, size_t n, const nvjpegImage_t *to,
                             cudaStream_t stream)
{
    struct nvjpegJpegStream header;
    decoded *d = calloc(1, sizeof *d);

    if (!d)
        abort();
    *d = (decoded){.state = s, .data = data, .size = n, .pitch = to->pitch[0], .sum = sum(data, n)};
    nvjpegStatus_t status = read_header(data, n, &header);
    if (!status)
        status = read_pixels(data, n, s->handle->flags & NVJPEG_FLAGS_BITSTREAM_STRICT, &d->rgb, &d->width, &d->height);
    if (!status && to->pitch[0] < 3 * (size_t)d->width)
        status = NVJPEG_STATUS_INVALID_PARAMETER;
    if (!status) {
        s->busy++;
        status = queue(d, to, stream);
        if (!status) {
            fake.counters.images++;
            return NVJPEG_STATUS_SUCCESS;
        }
        s->busy--;
    }
    free(d->rgb);
    free(d);
    return status;
}

nvjpegStatus_t nvjpegDecodeBatched(nvjpegHandle_t handle, nvjpegJpegState_t s, const unsigned char *const *data,
                                   const size_t *sizes, nvjpegImage_t *to, cudaStream_t stream)
{
    nvjpegStatus_t status = begin("nvjpegDecodeBatched");

    if (!status && (handle != s->handle || s->batch == 0))
        status = NVJPEG_STATUS_INVALID_PARAMETER;
    violate_if_busy(s, "nvjpegDecodeBatched");
    const int batch = s->batch;
    s->batch = 0;
    for (int i = 0; i < batch && !status; i++)
        status = decode(s, data[i], sizes[i], &to[i], stream);
    if (!status) {
        s->batch = batch;
        fake.counters.batches++;
    }
    return end(status);
}

int fake_nvjpeg_reset(const fake_nvjpeg_settings *s)
{
    static const char *const names[] = {"fake_current", "fake_lost", "fake_run", "cuMemAlloc_v2", "cuMemFree_v2"};
    void *library = dlopen(s->driver, RTLD_NOW | RTLD_LOCAL), *found[5];

    pthread_mutex_lock(&fake.lock);
    int bad = !library || fake.counters.handles || fake.counters.states || fake.counters.headers;
    for (int i = 0; i < 5 && !bad; i++)
        bad = !(found[i] = dlsym(library, names[i]));
    if (!bad) {
        _Static_assert(sizeof found == sizeof fake.driver, "a name for each function");
        memcpy(&fake.driver, found, sizeof found);
        fake.settings = *s;
        memset(&fake.counters, 0, sizeof fake.counters);
    }
    pthread_mutex_unlock(&fake.lock);
    return bad ? -1 : 0;
}

void fake_nvjpeg_count(fake_nvjpeg_counters *out)
{
    pthread_mutex_lock(&fake.lock);
    *out = fake.counters;
    pthread_mutex_unlock(&fake.lock);
}
