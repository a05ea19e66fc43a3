#include "entry.h"

#include "_cgo_export.h"

int32_t spool_audio_spec_new(const char *json, spool_audio_spec **spec, spool_error *error)
{
    SPOOL_ENTER(error);
    return goAudioSpecNew((char *)json, (uintptr_t *)spec, error);
}

void spool_audio_spec_release(spool_audio_spec *spec)
{
    if (!spool_entry_forked())
        goAudioSpecRelease((uintptr_t)spec);
}

int32_t spool_audio_open(spool_audio_spec *spec, const spool_source *source, spool_cancel *cancel, spool_audio **audio,
                         spool_error *error)
{
    SPOOL_ENTER(error);
    return goAudioOpen((uintptr_t)spec, (spool_source *)source, (uintptr_t)cancel, (uintptr_t *)audio, error);
}

void spool_audio_close(spool_audio *audio)
{
    if (!spool_entry_forked())
        goAudioClose((uintptr_t)audio);
}

int32_t spool_audio_info(spool_audio *audio, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goAudioInfo((uintptr_t)audio, json, error);
}

int32_t spool_audio_decode(spool_audio *audio, spool_audio_spec *spec, const double *window, spool_cancel *cancel,
                           spool_audio_samples *samples, spool_error *error)
{
    SPOOL_ENTER(error);
    return goAudioDecode((uintptr_t)audio, (uintptr_t)spec, (double *)window, (uintptr_t)cancel, samples, error);
}
