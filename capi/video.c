#include "entry.h"

#include "_cgo_export.h"

int32_t spool_video_spec_new(const char *json, spool_video_spec **spec, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoSpecNew((char *)json, (uintptr_t *)spec, error);
}

void spool_video_spec_release(spool_video_spec *spec)
{
    if (!spool_entry_forked())
        goVideoSpecRelease((uintptr_t)spec);
}

int32_t spool_video_open(spool_video_spec *spec, const spool_source *source, spool_cancel *cancel, spool_video **video,
                         spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoOpen((uintptr_t)spec, (spool_source *)source, (uintptr_t)cancel, (uintptr_t *)video, error);
}

void spool_video_close(spool_video *video)
{
    if (!spool_entry_forked())
        goVideoClose((uintptr_t)video);
}

int32_t spool_video_info(spool_video *video, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoInfo((uintptr_t)video, json, error);
}

int32_t spool_video_frames(spool_video *video, spool_array **frames, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoFrames((uintptr_t)video, frames, error);
}

int32_t spool_video_decode(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                           spool_cancel *cancel, spool_clip *clip, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoDecode((uintptr_t)video, (uintptr_t)spec, (int64_t *)frames, n, (uintptr_t)cancel, clip, error);
}

int32_t spool_video_decode_into(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                                spool_cancel *cancel, void *out, size_t size, spool_clip *clip, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoDecodeInto((uintptr_t)video, (uintptr_t)spec, (int64_t *)frames, n, (uintptr_t)cancel, out, size,
                             clip, error);
}

int32_t spool_video_decode_on(spool_video *video, spool_video_spec *spec, spool_device *device, const int64_t *frames,
                              size_t n, spool_cancel *cancel, spool_clip *clip, spool_array **why, spool_error *error)
{
    SPOOL_ENTER(error);
    return goVideoDecodeOn((uintptr_t)video, (uintptr_t)spec, (uintptr_t)device, (int64_t *)frames, n,
                           (uintptr_t)cancel, clip, why, error);
}
