#include <unistd.h>

#include "_cgo_export.h"
#include "tensor.h"

/*
 * In a forked child process a tensor is a copy, and Go does not run there: only the parent releases the memory. Python
 * deletes such copies when the child ends.
 */
static void end(spool_dlpack *t)
{
    if (t->process == getpid())
        spoolDLPackEnd(t);
}

static void delete_plain(DLManagedTensor *self)
{
    end(self->manager_ctx);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    end(self->manager_ctx);
}

static DLTensor complete(spool_dlpack *t, const DLTensor *tensor, uintptr_t data)
{
    DLTensor out = *tensor;

    t->process = getpid();
    out.data = (void *)data;
    out.shape = t->shape;
    out.strides = t->strides;
    return out;
}

void spool_dlpack_plain(spool_dlpack *t, const DLTensor *tensor, uintptr_t data)
{
    t->plain = (DLManagedTensor){complete(t, tensor, data), t, delete_plain};
}

void spool_dlpack_versioned(spool_dlpack *t, const DLTensor *tensor, uintptr_t data, uint64_t flags)
{
    t->versioned = (DLManagedTensorVersioned){
        {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, t, delete_versioned, flags, complete(t, tensor, data)};
}
