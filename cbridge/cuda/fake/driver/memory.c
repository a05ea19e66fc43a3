#include <stdlib.h>

#include "fake.h"

/* Device addresses are invalid on the host, and gaps between blocks belong to no block. */
enum { GRAIN = 256, GAP = 1 << 20 };
static CUdeviceptr next_address = 0x7f00000000000000;

typedef struct region {
    struct region *next;
    const char *from;
    size_t size;
} region;
static region *regions;

block *block_at(CUdeviceptr p, size_t n)
{
    for (block *b = fake.blocks; b; b = b->next)
        if (p >= b->address && p - b->address <= b->size && n <= b->size - (p - b->address))
            return b;
    return NULL;
}

int is_registered(const char *p, size_t n)
{
    for (region *r = regions; r; r = r->next)
        if (p >= r->from && p + n <= r->from + r->size)
            return 1;
    return 0;
}

int memory_in_use(CUcontext c)
{
    int n = 0;

    for (block *b = fake.blocks; b; b = b->next)
        n += b->context == c;
    for (CUevent e = fake.events; e; e = e->next)
        n += e->context == c;
    return n;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuMemGetInfo_v2", &c);

    if (!code) {
        *total = fake.settings.memory;
        *free = fake.settings.memory - fake.counters.device_bytes;
    }
    return end(code);
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t n)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuMemAlloc_v2", &c);

    if (code || n == 0)
        return end(code ? code : CUDA_ERROR_INVALID_VALUE);
    if (n > (size_t)(fake.settings.memory - fake.counters.device_bytes))
        return end(CUDA_ERROR_OUT_OF_MEMORY);
    block *b = malloc(sizeof *b);
    char *bytes = malloc(n);
    if (!b || !bytes)
        abort();
    *b = (block){.next = fake.blocks, .context = c, .address = next_address, .size = n, .bytes = bytes};
    fake.blocks = b;
    next_address += (n + GRAIN - 1) / GRAIN * GRAIN + GAP;
    fake.counters.blocks++;
    fake.counters.device_bytes += n;
    if (fake.counters.device_peak < fake.counters.device_bytes)
        fake.counters.device_peak = fake.counters.device_bytes;
    *out = b->address;
    return end(CUDA_SUCCESS);
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuMemFree_v2", &c);

    for (block **at = &fake.blocks; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->address != p)
            continue;
        if (!fake.lost && !untouched(p, b->size)) {
            violate("device memory is freed while it may be in use");
            return end(CUDA_ERROR_INVALID_VALUE); /* not freed: queued operations still access it */
        }
        *at = b->next;
        fake.counters.blocks--;
        fake.counters.device_bytes -= b->size;
        free(b->bytes);
        free(b);
        return end(code);
    }
    violate("an address is freed that is not allocated");
    return end(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned int flags)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuMemHostRegister_v2", &c);

    if (code || n == 0 || flags & ~CU_MEMHOSTREGISTER_PORTABLE)
        return end(code ? code : CUDA_ERROR_INVALID_VALUE);
    for (region *r = regions; r; r = r->next)
        if (r->from < (char *)p + n && (char *)p < r->from + r->size)
            return end(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    if (n > (size_t)(fake.settings.lockable - fake.counters.registered_bytes))
        return end(CUDA_ERROR_OUT_OF_MEMORY);
    region *r = malloc(sizeof *r);
    if (!r)
        abort();
    *r = (region){regions, p, n};
    regions = r;
    fake.counters.registered_bytes += n;
    return end(CUDA_SUCCESS);
}

CUresult cuMemHostUnregister(void *p)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuMemHostUnregister", &c);

    for (region **at = &regions; *at; at = &(*at)->next) {
        region *r = *at;
        if (r->from != p)
            continue;
        if (!fake.lost && !untouched((uintptr_t)p, r->size))
            violate("host memory is unregistered while it may be in use");
        *at = r->next;
        fake.counters.registered_bytes -= r->size;
        free(r);
        return end(code);
    }
    return end(code ? code : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}
