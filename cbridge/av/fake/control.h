#ifndef SPOOL_FAKE_NVCUVID_LOAD_H
#define SPOOL_FAKE_NVCUVID_LOAD_H

#include "nvcuvid/control.h"

/* The functions of control.h in a library that was loaded. */
typedef struct {
    int (*reset)(const fake_nvcuvid_settings *s);
    void (*count)(fake_nvcuvid_counters *out);
} fake_nvcuvid_library;

/* Gives -1 where file is no fake NVDEC. */
int fake_nvcuvid_load(fake_nvcuvid_library *l, const char *file);

/* C's way to call them: Go cannot call through a pointer. */
int fake_nvcuvid_call_reset(const fake_nvcuvid_library *l, const fake_nvcuvid_settings *s);
void fake_nvcuvid_call_count(const fake_nvcuvid_library *l, fake_nvcuvid_counters *out);

#endif
