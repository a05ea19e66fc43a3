#include "device.h"
#include "entry.h"

#include "_cgo_export.h"

int32_t spool_device_open(const char *options, spool_device **device, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDeviceOpen((char *)options, (uintptr_t *)device, error);
}

int32_t spool_device_copy(spool_device *device, const spool_array_view *views, size_t n, spool_cancel *cancel,
                          spool_array **arrays, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDeviceCopy((uintptr_t)device, (spool_array_view *)views, n, (uintptr_t)cancel, arrays, error);
}

void spool_device_close(spool_device *device)
{
    if (!spool_entry_forked())
        goDeviceClose((uintptr_t)device);
}

int32_t spool_device_decode(spool_device *device, const spool_source *sources, size_t n, spool_cancel *cancel,
                            spool_array **arrays, spool_array **failures, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDeviceDecode((uintptr_t)device, (spool_source *)sources, n, (uintptr_t)cancel, arrays, failures, error);
}

int32_t spool_device_counts(spool_device *device, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDeviceCounts((uintptr_t)device, json, error);
}

uintptr_t spool_device_alloc(uintptr_t function, int64_t size, int number, uintptr_t stream)
{
    spool_device_allocate *call = (spool_device_allocate *)function;
    return (uintptr_t)call((ptrdiff_t)size, number, (void *)stream);
}

void spool_device_dealloc(uintptr_t function, uintptr_t memory, int64_t size, int number, uintptr_t stream)
{
    spool_device_free *call = (spool_device_free *)function;
    call((void *)memory, (ptrdiff_t)size, number, (void *)stream);
}
