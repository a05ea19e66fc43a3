#include "entry.h"

#include "_cgo_export.h"

int32_t spool_archive_open(const spool_source *source, const char *options, spool_cancel *cancel,
                           spool_archive **archive, spool_error *error)
{
    SPOOL_ENTER(error);
    return goArchiveOpen((spool_source *)source, (char *)options, (uintptr_t)cancel, (uintptr_t *)archive, error);
}

void spool_archive_close(spool_archive *archive)
{
    if (!spool_entry_forked())
        goArchiveClose((uintptr_t)archive);
}

int32_t spool_archive_info(spool_archive *archive, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goArchiveInfo((uintptr_t)archive, json, error);
}

int32_t spool_archive_list(spool_archive *archive, spool_array **list, spool_error *error)
{
    SPOOL_ENTER(error);
    return goArchiveList((uintptr_t)archive, list, error);
}

int32_t spool_archive_read(spool_archive *archive, int64_t member, spool_cancel *cancel, spool_array **array,
                           spool_error *error)
{
    SPOOL_ENTER(error);
    return goArchiveRead((uintptr_t)archive, member, (uintptr_t)cancel, array, error);
}

int32_t spool_crc64nvme(const void *data, size_t size, uint64_t *sum, spool_error *error)
{
    SPOOL_ENTER(error);
    return goCRC64NVME((void *)data, size, sum, error);
}
