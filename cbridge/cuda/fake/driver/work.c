#include "streams.h"

int fake_lost(void)
{
    pthread_mutex_lock(&fake.lock);
    return (int)end(fake.lost);
}

int fake_run(const char *call, uintptr_t handle, uint64_t to, size_t n, fake_work *work, void *argument)
{
    CUcontext c;
    const CUresult code = begin_in_context(call, &c);

    if (code)
        return (int)end(code);
    stream *s = stream_of(c, (CUstream)handle);
    if (!s)
        return (int)end(CUDA_ERROR_INVALID_HANDLE);
    block *b = block_at(to, n);
    if (!b) {
        violate("%s writes bytes outside allocated device memory", call);
        return (int)end(CUDA_ERROR_INVALID_VALUE);
    }
    operation *o = queue(s, WORK);
    o->device = b->bytes + (to - b->address);
    o->work = work;
    o->argument = argument;
    touch(s->clock, s->id, 1, to, n, call);
    return (int)end(CUDA_SUCCESS);
}
