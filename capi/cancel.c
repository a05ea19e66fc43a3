#include "entry.h"

#include "_cgo_export.h"

int32_t spool_cancel_new(spool_cancel **cancel, spool_error *error)
{
    SPOOL_ENTER(error);
    return goCancelNew((uintptr_t *)cancel, error);
}

int32_t spool_cancel_set(spool_cancel *cancel, spool_error *error)
{
    SPOOL_ENTER(error);
    return goCancelSet((uintptr_t)cancel, error);
}

void spool_cancel_release(spool_cancel *cancel)
{
    if (!spool_entry_forked())
        goCancelRelease((uintptr_t)cancel);
}
