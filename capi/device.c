#include "entry.h"

#include "_cgo_export.h"

int32_t spool_device_open(const char *options, spool_device **device, spool_error *error)
{
    SPOOL_ENTER(error);
    uintptr_t opened = 0;
    int32_t status = goDeviceOpen((char *)options, &opened, error);
    if (status == SPOOL_OK)
        *device = (spool_device *)opened;
    return status;
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
