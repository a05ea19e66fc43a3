#include "entry.h"

#include <string.h>

#include "_cgo_export.h"

int32_t spool_record_spec_new(const char *json, spool_record_spec **spec, spool_error *error)
{
    SPOOL_ENTER(error);
    return goRecordSpecNew((char *)json, (uintptr_t *)spec, error);
}

void spool_record_spec_release(spool_record_spec *spec)
{
    if (!spool_entry_forked())
        goRecordSpecRelease((uintptr_t)spec);
}

int32_t spool_record_spec_inputs(spool_record_spec *spec, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goRecordSpecInputs((uintptr_t)spec, json, error);
}

int32_t spool_decode_records(spool_record_spec *spec, const spool_source *sources, int64_t n,
                             const spool_images_options *options, spool_batch *batch, spool_array **failures,
                             spool_error *error)
{
    SPOOL_ENTER(error);
    /* The caller's struct may be that of an older or of a newer header. */
    spool_images_options known = {.struct_size = sizeof known};
    if (options)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    return goDecodeRecords((uintptr_t)spec, (spool_source *)sources, n, &known, (uintptr_t)known.cancel, batch,
                           failures, error);
}
