#ifndef SPOOL_FAKE_NVCUVID_CONTROL_H
#define SPOOL_FAKE_NVCUVID_CONTROL_H

#include <stdint.h>

/* The interface for tests, in addition to the functions of NVDEC. */
typedef struct {
    int32_t refuse;    /* 1: every codec is reported as unsupported */
    int32_t largest;   /* maximum width or height */
    int64_t fail_call; /* this call, counted from 1, fails with an unknown error; 0 for none */
} fake_nvcuvid_settings;

typedef struct {
    int64_t calls, created, frames, mapped;
    int64_t decoders, surfaces; /* in use; surfaces are mapped */
    int64_t most;               /* maximum of mapped surfaces */
    int64_t violations;
    char violation[200];
    char failed_call[40];
} fake_nvcuvid_counters;

/* Resets everything. Returns -1 and does nothing if resources are in use. */
int fake_nvcuvid_reset(const fake_nvcuvid_settings *s);
void fake_nvcuvid_count(fake_nvcuvid_counters *out);

#endif
