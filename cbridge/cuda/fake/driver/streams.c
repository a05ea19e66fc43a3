#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streams.h"

void drop(mark *m)
{
    if (m && --m->references == 0)
        free(m);
}

static uint64_t sum(const char *p, size_t n)
{
    uint64_t s = 14695981039346656037u;

    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        s = (s ^ word) * 1099511628211u;
    }
    for (; n > 0; p++, n--)
        s = (s ^ (unsigned char)*p) * 1099511628211u;
    return s;
}

static void pause_for(long us)
{
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};

    if (us > 0)
        nanosleep(&t, NULL);
}

/* Runs an operation. The lock is held. */
static void perform(operation *o)
{
    if (++fake.counters.operations == fake.settings.fail_op)
        fake.lost = fake.settings.fail_code;
    if (fake.lost)
        return;
    switch (o->kind) {
    case COPY_TO_DEVICE:
        if (!o->staged && sum(o->host, o->size) != o->sum)
            violate("host memory changed while a copy read it");
        memcpy(o->device, o->staged ? o->staged : o->host, o->size);
        break;
    case COPY_TO_HOST:
        memcpy(o->host, o->device, o->size);
        break;
    case WORK:
        o->work(o->device, o->argument);
        o->work = NULL;
        break;
    case RECORD:
        o->mark->reached = 1;
        break;
    case WAIT:
        while (!o->mark->reached && !fake.lost)
            pthread_cond_wait(&fake.changed, &fake.lock);
    }
}

static void *work(void *argument)
{
    stream *s = argument;

    pthread_mutex_lock(&fake.lock);
    for (;;) {
        while ((!s->first || ((fake.holding || s->held) && !fake.lost && !s->closing)) && !(s->closing && !s->first))
            pthread_cond_wait(&fake.changed, &fake.lock);
        operation *o = s->first;
        if (!o)
            break;
        if (!fake.lost && o->delay_us > 0) {
            pthread_mutex_unlock(&fake.lock);
            pause_for(o->delay_us);
            pthread_mutex_lock(&fake.lock);
        }
        perform(o);
        s->first = o->next;
        if (!s->first)
            s->last = &s->first;
        drop(o->mark);
        if (o->work)
            o->work(NULL, o->argument);
        free(o->staged);
        free(o);
        s->done++;
        pthread_cond_broadcast(&fake.changed);
    }
    pthread_mutex_unlock(&fake.lock);
    return NULL;
}

static stream *open_stream(CUcontext c, int standard)
{
    uint64_t ids = 0;
    int id = fake.last_id, tries = 0;

    for (stream *s = fake.streams; s; s = s->next)
        ids |= 1ull << s->id;
    do
        id = (id + 1) % MAX_STREAMS;
    while (ids >> id & 1 && ++tries < MAX_STREAMS);
    stream *s = calloc(1, sizeof *s);
    if (!s || ids >> id & 1)
        abort();
    fake.last_id = id;
    s->context = c;
    s->id = id;
    s->standard = standard;
    s->last = &s->first;
    s->queued = s->done = fake.host[id] = fake.numbers[id]; /* continues the numbers of this id's previous stream */
    if (pthread_create(&s->thread, NULL, work, s) != 0)
        abort();
    s->next = fake.streams;
    fake.streams = s;
    return s;
}

/* Runs what is queued and closes the stream. Releases the lock meanwhile. */
static void close_stream(stream *s)
{
    stream **at = &fake.streams;

    s->closing = 1;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&fake.lock);
    fake.numbers[s->id] = s->queued;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

stream *stream_of(CUcontext c, CUstream handle)
{
    if ((uintptr_t)handle <= 2) { /* the default stream; the thread's default stream is the same here */
        if (!c->standard)
            c->standard = open_stream(c, 1);
        return c->standard;
    }
    for (stream *s = fake.streams; s; s = s->next)
        if ((CUstream)s == handle) {
            if (s->context == c)
                return s;
            violate("a stream is used in another context than its own");
            return NULL;
        }
    violate("a stream is used that does not exist");
    return NULL;
}

void end_streams(CUcontext c)
{
    if (c->standard)
        close_stream(c->standard);
    c->standard = NULL;
}

int streams_of(CUcontext c)
{
    int n = 0;

    for (stream *s = fake.streams; s; s = s->next)
        n += s->context == c && !s->standard;
    return n;
}

operation *queue(stream *s, kind k)
{
    operation *o = calloc(1, sizeof *o);

    if (!o)
        abort();
    o->kind = k;
    if (fake.settings.delay_us > 0) {
        fake.random = fake.random * 6364136223846793005u + 1442695040888963407u;
        o->delay_us = (long)((fake.random >> 33) % (uint64_t)(fake.settings.delay_us + 1));
    }
    clock_join(s->clock, fake.host);
    s->clock[s->id] = ++s->queued;
    *s->last = o;
    s->last = &o->next;
    pthread_cond_broadcast(&fake.changed);
    return o;
}

static void await(const stream *s)
{
    const uint64_t until = s->queued;

    while (s->done < until && !fake.lost)
        pthread_cond_wait(&fake.changed, &fake.lock);
    if (!fake.lost)
        clock_join(fake.host, s->clock);
}

static CUresult copy(stream *s, block *b, size_t offset, char *host, size_t n, int to_device)
{
    const int pageable = !is_registered(host, n), idle = untouched((uintptr_t)host, n);
    operation *o = queue(s, to_device ? COPY_TO_DEVICE : COPY_TO_HOST);

    o->device = b->bytes + offset;
    o->host = host;
    o->size = n;
    touch(s->clock, s->id, to_device, b->address + offset, n,
          to_device ? "a copy to the device" : "a copy from the device");
    if (pageable)
        fake.counters.pageable_bytes += (int64_t)n;
    if (to_device) {
        fake.counters.to_device_copies++;
        fake.counters.to_device_bytes += (int64_t)n;
    } else {
        fake.counters.to_host_copies++;
        fake.counters.to_host_bytes += (int64_t)n;
    }
    if (to_device && pageable) {
        o->staged = malloc(n);
        if (!o->staged)
            abort();
        memcpy(o->staged, host, n);
        return CUDA_SUCCESS;
    }
    touch(s->clock, s->id, !to_device, (uintptr_t)host, n, to_device ? "a copy from the host" : "a copy to the host");
    if (to_device) {
        o->sum = sum(host, n);
    } else {
        if (idle)
            memset(host, 0xDB, n); /* reveals reads that are too early */
        if (pageable)
            await(s);
    }
    return fake.lost;
}

static CUresult begin_copy(const char *call, CUdeviceptr at, size_t n, CUstream handle, stream **s, block **b)
{
    CUcontext c;
    const CUresult code = begin_in_context(call, &c);

    if (code)
        return code;
    *s = stream_of(c, handle);
    if (!*s)
        return CUDA_ERROR_INVALID_HANDLE;
    *b = block_at(at, n);
    if (!*b)
        violate("a copy accesses bytes outside allocated device memory");
    return *b ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream handle)
{
    stream *s;
    block *b;
    const CUresult code = begin_copy("cuMemcpyHtoDAsync_v2", to, n, handle, &s, &b);

    return end(code ? code : copy(s, b, to - b->address, (char *)from, n, 1));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream handle)
{
    stream *s;
    block *b;
    const CUresult code = begin_copy("cuMemcpyDtoHAsync_v2", from, n, handle, &s, &b);

    return end(code ? code : copy(s, b, from - b->address, to, n, 0));
}

CUresult cuStreamCreate(CUstream *out, unsigned int flags)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuStreamCreate", &c);

    (void)flags;
    if (!code) {
        *out = (CUstream)open_stream(c, 0);
        fake.counters.streams++;
    }
    return end(code);
}

CUresult cuStreamDestroy_v2(CUstream handle)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuStreamDestroy_v2", &c);
    stream *s = c && (uintptr_t)handle > 2 ? stream_of(c, handle) : NULL;

    if (!s)
        return end(CUDA_ERROR_INVALID_HANDLE);
    fake.counters.streams--;
    close_stream(s);
    return end(code);
}

CUresult cuStreamSynchronize(CUstream handle)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuStreamSynchronize", &c);
    stream *s = code ? NULL : stream_of(c, handle);

    if (!s)
        return end(code ? code : CUDA_ERROR_INVALID_HANDLE);
    await(s);
    return end(fake.lost);
}

void fake_hold(uintptr_t handle)
{
    pthread_mutex_lock(&fake.lock);
    if (!handle)
        fake.holding = 1;
    for (stream *s = fake.streams; s; s = s->next)
        s->held |= (uintptr_t)s == handle;
    pthread_mutex_unlock(&fake.lock);
}

void fake_go(void)
{
    pthread_mutex_lock(&fake.lock);
    fake.holding = 0;
    for (stream *s = fake.streams; s; s = s->next)
        s->held = 0;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}
