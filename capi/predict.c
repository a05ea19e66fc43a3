#include "entry.h"

#include "_cgo_export.h"

int32_t spool_simulate(const char *costs, const char *options, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goSimulate((char *)costs, (char *)options, json, error);
}

int32_t spool_loader_profile(spool_loader *loader, const char *options, spool_cancel *cancel, spool_array **json,
                             spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderProfile((uintptr_t)loader, (char *)options, (uintptr_t)cancel, json, error);
}
