#include "entry.h"

#include "_cgo_export.h"

int32_t spool_doctor(spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goDoctor(json, error);
}

int32_t spool_stats(spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goStats(json, error);
}

int32_t spool_doctor_store(const char *url, const char *options, spool_cancel *cancel, spool_array **json,
                           spool_error *error)
{
    SPOOL_ENTER(error);
    return goDoctorStore((char *)url, (char *)options, (uintptr_t)cancel, json, error);
}
