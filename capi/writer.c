#include "entry.h"

#include "_cgo_export.h"

int32_t spool_writer_open(const char *path, const char *options, spool_cancel *cancel, spool_writer **writer,
                          spool_error *error)
{
    SPOOL_ENTER(error);
    return goWriterOpen((char *)path, (char *)options, (uintptr_t)cancel, (uintptr_t *)writer, error);
}

int32_t spool_writer_frames(spool_writer *writer, const spool_array_view *frames, const double *seconds,
                            spool_cancel *cancel, spool_error *error)
{
    SPOOL_ENTER(error);
    return goWriterFrames((uintptr_t)writer, (spool_array_view *)frames, (double *)seconds, (uintptr_t)cancel, error);
}

int32_t spool_writer_samples(spool_writer *writer, const spool_array_view *samples, spool_cancel *cancel,
                             spool_error *error)
{
    SPOOL_ENTER(error);
    return goWriterSamples((uintptr_t)writer, (spool_array_view *)samples, (uintptr_t)cancel, error);
}

int32_t spool_writer_finish(spool_writer *writer, spool_cancel *cancel, spool_array **file, spool_error *error)
{
    SPOOL_ENTER(error);
    return goWriterFinish((uintptr_t)writer, (uintptr_t)cancel, file, error);
}

void spool_writer_close(spool_writer *writer)
{
    if (!spool_entry_forked())
        goWriterClose((uintptr_t)writer);
}

int32_t spool_remux(const char *path, const spool_source *source, const char *options, spool_cancel *cancel,
                    spool_error *error)
{
    SPOOL_ENTER(error);
    return goRemux((char *)path, (spool_source *)source, (char *)options, (uintptr_t)cancel, error);
}
