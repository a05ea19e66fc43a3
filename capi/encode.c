#include "entry.h"

#include "_cgo_export.h"

int32_t spool_encode_image(const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                           spool_array **file, spool_error *error)
{
    SPOOL_ENTER(error);
    return goEncodeImage((spool_array_view *)pixels, (char *)options, (uintptr_t)cancel, file, error);
}

int32_t spool_write_image(const char *path, const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                          spool_error *error)
{
    SPOOL_ENTER(error);
    return goWriteImage((char *)path, (spool_array_view *)pixels, (char *)options, (uintptr_t)cancel, error);
}
