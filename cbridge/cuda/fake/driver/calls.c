#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

fake_driver fake = {.lock = PTHREAD_MUTEX_INITIALIZER,
                    .changed = PTHREAD_COND_INITIALIZER,
                    .settings = {.devices = 1, .memory = 1 << 30, .lockable = 1 << 30}};

/*
 * The contexts that threads have pushed; entries without any are free. It is a table and no thread-local storage. When
 * a program ends, GCC 12's LeakSanitizer often crashes while it reads that of libraries which were loaded later.
 */
static struct {
    pthread_mutex_t lock; /* the last one that is taken */
    struct pushes {
        pthread_t thread;
        int depth;
        CUcontext stack[MAX_DEPTH];
    } of[MAX_THREADS];
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* entry returns the calling thread's entry, or a free one, or NULL. The lock is held. */
static struct pushes *entry(void)
{
    struct pushes *unused = NULL;

    for (int i = 0; i < MAX_THREADS; i++) {
        struct pushes *const p = &threads.of[i];
        if (p->depth > 0 && pthread_equal(p->thread, pthread_self()))
            return p;
        if (p->depth == 0)
            unused = p;
    }
    return unused;
}

/* push returns whether there was room. */
static bool push(CUcontext c)
{
    pthread_mutex_lock(&threads.lock);
    struct pushes *const p = entry();
    const bool room = p && p->depth < MAX_DEPTH;
    if (room) {
        p->thread = pthread_self();
        p->stack[p->depth++] = c;
    }
    pthread_mutex_unlock(&threads.lock);
    return room;
}

/* top returns the calling thread's current context, and removes it if asked to. NULL means that there is none. */
static CUcontext top(bool pop)
{
    pthread_mutex_lock(&threads.lock);
    struct pushes *const p = entry();
    CUcontext c = NULL;
    if (p && p->depth > 0) {
        c = p->stack[p->depth - 1];
        p->depth -= pop;
    }
    pthread_mutex_unlock(&threads.lock);
    return c;
}

CUresult begin(const char *call)
{
    pthread_mutex_lock(&fake.lock);
    if (!fake.initialised && strcmp(call, "cuInit") != 0)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (++fake.counters.calls == fake.settings.fail_call) {
        snprintf(fake.counters.failed_call, sizeof fake.counters.failed_call, "%s", call);
        if (fake.settings.lost) {
            fake.lost = fake.settings.fail_code;
            pthread_cond_broadcast(&fake.changed);
        }
        return fake.settings.fail_code;
    }
    /* The current context is state of the host, so these calls work on a lost device. */
    return strncmp(call, "cuCtx", 5) == 0 ? CUDA_SUCCESS : fake.lost;
}

CUresult begin_in_context(const char *call, CUcontext *current)
{
    const CUresult code = begin(call);

    *current = top(false);
    if (*current && (*current)->retained > 0)
        return code;
    *current = NULL;
    violate("%s without a context", call);
    return code ? code : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult end(CUresult code)
{
    pthread_mutex_unlock(&fake.lock);
    return code;
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

CUresult cuInit(unsigned int flags)
{
    CUresult code = begin("cuInit");

    if (!code)
        code = flags                        ? CUDA_ERROR_INVALID_VALUE
               : fake.settings.broken       ? (CUresult)fake.settings.broken
               : fake.settings.devices == 0 ? CUDA_ERROR_NO_DEVICE
                                            : CUDA_SUCCESS;
    fake.initialised |= !code;
    return end(code);
}

CUresult cuDriverGetVersion(int *version)
{
    const CUresult code = begin("cuDriverGetVersion");

    if (!code)
        *version = 12040;
    return end(code);
}

static const struct {
    CUresult code;
    const char *name, *text;
} texts[] = {
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
};

CUresult cuGetErrorName(CUresult code, const char **out)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            *out = texts[i].name;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **out)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            *out = texts[i].text;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    const CUresult code = begin("cuDeviceGetCount");

    if (!code)
        *count = fake.settings.devices;
    return end(code);
}

static CUresult begin_with_device(const char *call, CUdevice d)
{
    const CUresult code = begin(call);

    return code ? code : d >= 0 && d < fake.settings.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice *device, int n)
{
    const CUresult code = begin_with_device("cuDeviceGet", n);

    if (!code)
        *device = n;
    return end(code);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice d)
{
    const CUresult code = begin_with_device("cuDeviceGetName", d);

    if (!code)
        snprintf(name, size, "Fake Device %d", d);
    return end(code);
}

CUresult cuDeviceGetPCIBusId(char *bus, int size, CUdevice d)
{
    const CUresult code = begin_with_device("cuDeviceGetPCIBusId", d);

    if (!code)
        snprintf(bus, size, "FA4E:%02X:00.0", d);
    return end(code);
}

enum { TEXTURE_ALIGNMENT = 14 }; /* used only by FFmpeg */

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice d)
{
    const CUresult code = begin_with_device("cuDeviceGetAttribute", d);

    if (code)
        return end(code);
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 8;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 6;
        break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 200000;
        break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 64;
        break;
    case TEXTURE_ALIGNMENT:
        *value = 512;
        break;
    default:
        return end(CUDA_ERROR_INVALID_VALUE);
    }
    return end(code);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice d)
{
    const CUresult code = begin_with_device("cuDeviceTotalMem_v2", d);

    if (!code)
        *bytes = fake.settings.memory;
    return end(code);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice d)
{
    const CUresult code = begin_with_device("cuDevicePrimaryCtxRetain", d);

    if (!code) {
        *out = &fake.contexts[d];
        (*out)->device = d;
        if ((*out)->retained++ == 0)
            fake.counters.contexts++;
    }
    return end(code);
}

/* Calls that release a resource do so even if they report an earlier error, as in the real driver's manual. */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d)
{
    const CUresult code = begin_with_device("cuDevicePrimaryCtxRelease_v2", d);
    CUcontext c = &fake.contexts[d];

    if (code == CUDA_ERROR_INVALID_DEVICE || c->retained == 0)
        return end(CUDA_ERROR_INVALID_CONTEXT);
    if (c->retained == 1) {
        const int left = memory_in_use(c) + streams_of(c) + modules_of(c);
        if (left > 0)
            violate("the context of device %d ended with %d blocks, streams, events and modules in it", d, left);
        end_streams(c);
        fake.counters.contexts--;
    }
    c->retained--;
    return end(code);
}

CUresult cuCtxPushCurrent_v2(CUcontext c)
{
    CUresult code = begin("cuCtxPushCurrent_v2");

    if (!code && (!c || c->retained == 0)) {
        violate("a context is pushed that is not retained");
        code = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (!code && !push(c))
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (!code)
        fake.counters.pushed++;
    return end(code);
}

CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    const CUresult code = begin("cuCtxPopCurrent_v2");

    const CUcontext c = top(true);
    if (!c)
        return end(code ? code : CUDA_ERROR_INVALID_CONTEXT);
    *out = c;
    fake.counters.pushed--;
    return end(code);
}

uintptr_t fake_current(void)
{
    return (uintptr_t)top(false);
}

void fake_push(int device)
{
    push(&fake.contexts[device]);
}

void fake_pop(void)
{
    top(true);
}

int fake_reset(const fake_settings *s)
{
    pthread_mutex_lock(&fake.lock);
    const int used = fake.streams || fake.events || fake.blocks || fake.counters.modules || fake.counters.contexts ||
                     fake.counters.pushed || fake.counters.registered_bytes;
    if (!used) {
        fake.settings = *s;
        memset(&fake.counters, 0, sizeof fake.counters);
        forget_touches();
        fake.random = s->seed * 2 + 1;
        fake.initialised = fake.holding = 0;
        fake.lost = CUDA_SUCCESS;
    }
    pthread_mutex_unlock(&fake.lock);
    return used ? -1 : 0;
}

void fake_count(fake_counters *out)
{
    pthread_mutex_lock(&fake.lock);
    *out = fake.counters;
    pthread_mutex_unlock(&fake.lock);
}

/*
 * The real driver still exports the old functions by their names without suffix. A program that calls one has looked up
 * the wrong name.
 */
#define TRAP(name)                                             \
    CUresult name(void)                                        \
    {                                                          \
        pthread_mutex_lock(&fake.lock);                        \
        violate(#name " is the old version of this function"); \
        return end(CUDA_ERROR_INVALID_VALUE);                  \
    }
TRAP(cuDeviceTotalMem)
TRAP(cuDevicePrimaryCtxRelease)
TRAP(cuCtxPushCurrent)
TRAP(cuCtxPopCurrent)
TRAP(cuMemGetInfo)
TRAP(cuMemAlloc)
TRAP(cuMemFree)
TRAP(cuMemHostRegister)
TRAP(cuMemcpyHtoDAsync)
TRAP(cuMemcpyDtoHAsync)
TRAP(cuStreamDestroy)
TRAP(cuEventDestroy)
