#include <stdlib.h>
#include <string.h>

#include "streams.h"

static int exists(CUevent e)
{
    for (CUevent other = fake.events; other; other = other->next)
        if (other == e)
            return 1;
    violate("an event is used that does not exist");
    return 0;
}

CUresult cuEventCreate(CUevent *out, unsigned int flags)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuEventCreate", &c);

    (void)flags;
    if (!code) {
        CUevent e = calloc(1, sizeof *e);
        if (!e)
            abort();
        e->context = c;
        e->next = fake.events;
        fake.events = e;
        fake.counters.events++;
        *out = e;
    }
    return end(code);
}

CUresult cuEventDestroy_v2(CUevent e)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuEventDestroy_v2", &c);
    CUevent *at = &fake.events;

    if (!exists(e))
        return end(CUDA_ERROR_INVALID_HANDLE);
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    drop(e->mark);
    free(e);
    fake.counters.events--;
    return end(code);
}

CUresult cuEventRecord(CUevent e, CUstream handle)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuEventRecord", &c);

    if (code || !exists(e))
        return end(code ? code : CUDA_ERROR_INVALID_HANDLE);
    stream *s = stream_of(c, handle);
    if (!s || e->context != c)
        return end(CUDA_ERROR_INVALID_HANDLE);
    operation *o = queue(s, RECORD);
    drop(e->mark);
    e->mark = o->mark = calloc(1, sizeof *e->mark);
    if (!e->mark)
        abort();
    e->mark->references = 2;
    memcpy(e->mark->clock, s->clock, sizeof s->clock);
    return end(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent e, unsigned int flags)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuStreamWaitEvent", &c);

    (void)flags;
    if (code || !exists(e))
        return end(code ? code : CUDA_ERROR_INVALID_HANDLE);
    stream *s = stream_of(c, handle);
    if (!s)
        return end(CUDA_ERROR_INVALID_HANDLE);
    if (e->mark) {
        operation *o = queue(s, WAIT);
        o->mark = e->mark;
        e->mark->references++;
        clock_join(s->clock, e->mark->clock);
    }
    return end(CUDA_SUCCESS);
}

CUresult cuEventSynchronize(CUevent e)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuEventSynchronize", &c);

    if (code || !exists(e))
        return end(code ? code : CUDA_ERROR_INVALID_HANDLE);
    mark *m = e->mark;
    if (m) {
        m->references++;
        while (!m->reached && !fake.lost)
            pthread_cond_wait(&fake.changed, &fake.lock);
        if (m->reached)
            clock_join(fake.host, m->clock);
        drop(m);
    }
    return end(fake.lost);
}

CUresult cuEventQuery(CUevent e)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuEventQuery", &c);

    if (code || !exists(e))
        return end(code ? code : CUDA_ERROR_INVALID_HANDLE);
    if (fake.lost)
        return end(fake.lost);
    if (e->mark && !e->mark->reached)
        return end(CUDA_ERROR_NOT_READY);
    if (e->mark)
        clock_join(fake.host, e->mark->clock);
    return end(CUDA_SUCCESS);
}
