#ifndef SPOOL_FAKE_NVJPEG_LOAD_H
#define SPOOL_FAKE_NVJPEG_LOAD_H

#include "library/control.h"

/* The functions of control.h in a library that was loaded. */
typedef struct {
    int (*reset)(const fake_nvjpeg_settings *s);
    void (*count)(fake_nvjpeg_counters *out);
} fake_nvjpeg_library;

/* Gives -1 where file is no fake nvJPEG. */
int fake_nvjpeg_load(fake_nvjpeg_library *l, const char *file);

/* C's way to call them: Go cannot call through a pointer. */
int fake_nvjpeg_call_reset(const fake_nvjpeg_library *l, const fake_nvjpeg_settings *s);
void fake_nvjpeg_call_count(const fake_nvjpeg_library *l, fake_nvjpeg_counters *out);

#endif
