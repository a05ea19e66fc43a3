#ifndef SPOOL_FAKE_NVCUVID_CONTROL_H
#define SPOOL_FAKE_NVCUVID_CONTROL_H

#include <stdint.h>

/* What tests ask of the fake NVDEC, beside the entry points of the real one. */
typedef struct {
    int32_t refuse;    /* 1: of every codec it is said that it is not supported */
    int32_t largest;   /* width or height that it takes */
    int64_t fail_call; /* this call gives an unknown error, counted from 1; 0 for none */
} fake_nvcuvid_settings;

typedef struct {
    int64_t calls, created, pictures, mapped;
    int64_t decoders, surfaces; /* in use: surfaces that are mapped */
    int64_t most;               /* surfaces that were mapped at once */
    int64_t violations;
    char violation[200];
    char failed_call[40];
} fake_nvcuvid_counters;

/* Starts anew; gives -1, and does nothing, while something is in use. */
int fake_nvcuvid_reset(const fake_nvcuvid_settings *s);
void fake_nvcuvid_count(fake_nvcuvid_counters *out);

#endif
