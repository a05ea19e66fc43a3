#ifndef SPOOL_FAKE_NVCUVID_LOAD_H
#define SPOOL_FAKE_NVCUVID_LOAD_H

#include "nvcuvid/control.h"

/* The functions of control.h in a loaded library. */
typedef struct {
    int (*reset)(const fake_nvcuvid_settings *s);
    void (*count)(fake_nvcuvid_counters *out);
} fake_nvcuvid_library;

/* Returns -1 if file is not a simulated NVDEC. */
int fake_nvcuvid_load(fake_nvcuvid_library *l, const char *file);

/* Wrappers for Go, which cannot call function pointers. */
int fake_nvcuvid_call_reset(const fake_nvcuvid_library *l, const fake_nvcuvid_settings *s);
void fake_nvcuvid_call_count(const fake_nvcuvid_library *l, fake_nvcuvid_counters *out);

#endif
