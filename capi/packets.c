#include "entry.h"

#include "_cgo_export.h"

int32_t spool_packets_read(const spool_source *source, const char *options, spool_cancel *cancel,
                           spool_packets **packets, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsRead((spool_source *)source, (char *)options, (uintptr_t)cancel, (uintptr_t *)packets, error);
}

int32_t spool_packets_load(const void *data, size_t size, spool_packets **packets, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsLoad((void *)data, size, (uintptr_t *)packets, error);
}

int32_t spool_packets_save(spool_packets *packets, spool_array **data, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsSave((uintptr_t)packets, data, error);
}

int32_t spool_packets_info(spool_packets *packets, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsInfo((uintptr_t)packets, json, error);
}

int32_t spool_packets_list(spool_packets *packets, spool_array **list, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsList((uintptr_t)packets, list, error);
}

int32_t spool_packets_filter(spool_packets *packets, const char *filters, spool_cancel *cancel,
                             spool_packets **filtered, spool_error *error)
{
    SPOOL_ENTER(error);
    return goPacketsFilter((uintptr_t)packets, (char *)filters, (uintptr_t)cancel, (uintptr_t *)filtered, error);
}

void spool_packets_release(spool_packets *packets)
{
    if (!spool_entry_forked())
        goPacketsRelease((uintptr_t)packets);
}

int32_t spool_mux(const char *path, spool_packets *const *streams, size_t n, const char *options, spool_cancel *cancel,
                  spool_error *error)
{
    SPOOL_ENTER(error);
    return goMux((char *)path, (uintptr_t *)streams, n, (char *)options, (uintptr_t)cancel, error);
}

int32_t spool_video_open_packets(spool_video_spec *spec, spool_packets *packets, spool_cancel *cancel,
                                 spool_video **video, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoOpenPackets((uintptr_t)spec, (uintptr_t)packets, (uintptr_t)cancel, (uintptr_t *)video, error);
}
