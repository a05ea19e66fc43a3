#include "entry.h"

#include "_cgo_export.h"

int32_t spool_probe(const spool_source *source, const char *limits, spool_cancel *cancel, spool_array **json,
                    spool_error *error)
{
    SPOOL_ENTER(error);
    return goProbe((spool_source *)source, (char *)limits, (uintptr_t)cancel, json, error);
}
