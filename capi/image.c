#include "entry.h"

#include "_cgo_export.h"

int32_t spool_image_spec_new(const char *json, spool_image_spec **spec, spool_error *error)
{
    SPOOL_ENTER(error);
    return goImageSpecNew((char *)json, (uintptr_t *)spec, error);
}

void spool_image_spec_release(spool_image_spec *spec)
{
    if (!spool_entry_forked())
        goImageSpecRelease((uintptr_t)spec);
}

int32_t spool_image_spec_describe(spool_image_spec *spec, spool_array_view *view, spool_error *error)
{
    SPOOL_ENTER(error);
    return goImageSpecDescribe((uintptr_t)spec, view, error);
}

int32_t spool_decode_image(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel,
                           spool_array **array, spool_image_report *report, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDecodeImage((uintptr_t)spec, (spool_source *)source, (uintptr_t)cancel, array, report, error);
}

int32_t spool_decode_image_into(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel, void *out,
                                size_t size, spool_image_report *report, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDecodeImageInto((uintptr_t)spec, (spool_source *)source, (uintptr_t)cancel, out, size, report, error);
}
