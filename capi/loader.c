#include "array.h"
#include "entry.h"
#include "handoff.h"

#include "_cgo_export.h"

#include <malloc.h>

int32_t spool_loader_open(const char *kind, const char *const *sources, size_t n, const char *options,
                          spool_cancel *cancel, spool_loader **loader, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderOpen((char *)kind, (char **)sources, n, (char *)options, (uintptr_t)cancel, (uintptr_t *)loader,
                        error);
}

void spool_loader_close(spool_loader *loader)
{
    if (spool_entry_forked())
        return;
    goLoaderClose((uintptr_t)loader);
#ifdef __GLIBC__
    malloc_trim(0); /* decoders of several threads leave fragmented megabytes, which malloc would keep */
#endif
}

int32_t spool_loader_next(spool_loader *loader, int64_t timeout_ms, spool_batch *batch, spool_error *error)
{
    SPOOL_ENTER(error);
    if (spool_handoff_take((uintptr_t)loader, batch))
        return SPOOL_OK;
    return goLoaderNext((uintptr_t)loader, timeout_ms, batch, error);
}

int32_t spool_loader_read(spool_loader *loader, const int64_t *ids, size_t n, int64_t epoch, spool_cancel *cancel,
                          spool_batch *batch, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderRead((uintptr_t)loader, (int64_t *)ids, n, epoch, (uintptr_t)cancel, batch, error);
}

int32_t spool_loader_again(spool_loader *loader, int64_t step, const char *receipts, spool_cancel *cancel,
                           spool_batch *batch, spool_array **differences, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderAgain((uintptr_t)loader, step, (char *)receipts, (uintptr_t)cancel, batch, differences, error);
}

int32_t spool_batch_array(spool_array *pixels, int32_t number, spool_array **array, spool_error *error)
{
    SPOOL_ENTER(error);
    return goBatchArray(spool_array_owner(pixels), number, array, error);
}

int32_t spool_batch_columns(const spool_batch *batch, struct ArrowSchema *schema, struct ArrowArray *array,
                            spool_error *error)
{
    SPOOL_ENTER(error);
    return goBatchColumns((spool_batch *)batch, schema, array, error);
}

void spool_batch_release(spool_batch *batch)
{
    spool_array_release(batch->pixels);
    spool_array_release(batch->about);
    *batch = (spool_batch){.count = 0};
}

int32_t spool_loader_start(spool_loader *loader, int64_t epoch, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderStart((uintptr_t)loader, epoch, error);
}

int32_t spool_loader_state(spool_loader *loader, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderState((uintptr_t)loader, json, error);
}

int32_t spool_loader_state_before(spool_loader *loader, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderStateBefore((uintptr_t)loader, json, error);
}

int32_t spool_loader_resume(spool_loader *loader, const char *states, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderResume((uintptr_t)loader, (char *)states, error);
}

int32_t spool_loader_choose(spool_loader *loader, const int64_t *samples, size_t n, int64_t epoch, int32_t alone,
                            spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderChoose((uintptr_t)loader, (int64_t *)samples, n, epoch, alone, error);
}

int32_t spool_loader_weigh(spool_loader *loader, const double *weights, size_t n, int64_t draws, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderWeigh((uintptr_t)loader, (double *)weights, n, draws, error);
}

int32_t spool_loader_bucket(spool_loader *loader, const int64_t *lengths, size_t n, int64_t buckets, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderBucket((uintptr_t)loader, (int64_t *)lengths, n, buckets, error);
}

int32_t spool_loader_info(spool_loader *loader, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderInfo((uintptr_t)loader, json, error);
}

int32_t spool_loader_report(spool_loader *loader, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderReport((uintptr_t)loader, json, error);
}

int32_t spool_loader_failures(spool_loader *loader, spool_array **lines, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderFailures((uintptr_t)loader, lines, error);
}

int32_t spool_loader_page(spool_loader *loader, const char *path, spool_array **content, spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderPage((uintptr_t)loader, (char *)path, content, error);
}

int32_t spool_simulate(const char *costs, const char *options, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goSimulate((char *)costs, (char *)options, json, error);
}

int32_t spool_loader_trace(spool_loader *loader, const char *file, double seconds, spool_cancel *cancel,
                           spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderTrace((uintptr_t)loader, (char *)file, seconds, (uintptr_t)cancel, error);
}

int32_t spool_loader_profile(spool_loader *loader, const char *options, spool_cancel *cancel, spool_array **json,
                             spool_error *error)
{
    SPOOL_ENTER(error);
    return goLoaderProfile((uintptr_t)loader, (char *)options, (uintptr_t)cancel, json, error);
}
