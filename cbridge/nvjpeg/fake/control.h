#ifndef SPOOL_FAKE_NVJPEG_LOAD_H
#define SPOOL_FAKE_NVJPEG_LOAD_H

#include "library/control.h"

/* The functions of library/control.h in a loaded library. */
typedef struct {
    int (*reset)(const fake_nvjpeg_settings *s);
    void (*count)(fake_nvjpeg_counters *out);
} fake_nvjpeg_library;

/* Returns -1 if the file is not the simulated nvJPEG. */
int fake_nvjpeg_load(fake_nvjpeg_library *l, const char *file);

/* Calls through the pointers, which Go cannot do. */
int fake_nvjpeg_call_reset(const fake_nvjpeg_library *l, const fake_nvjpeg_settings *s);
void fake_nvjpeg_call_count(const fake_nvjpeg_library *l, fake_nvjpeg_counters *out);

#endif
