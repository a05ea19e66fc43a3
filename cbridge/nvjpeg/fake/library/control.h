#ifndef SPOOL_FAKE_NVJPEG_CONTROL_H
#define SPOOL_FAKE_NVJPEG_CONTROL_H

#include <stdint.h>

/* What tests ask of the fake nvJPEG, beside the entry points of the real one. */
typedef struct {
    const char *driver; /* the file of the fake driver, which the device's memory and streams are of */
    int32_t version[3];
    int32_t hardware;  /* the device has a JPEG engine */
    int64_t fail_call; /* this call gives fail_status, counted from 1; 0 for none */
    int32_t fail_status;
} fake_nvjpeg_settings;

typedef struct {
    int64_t calls, batches, pictures; /* decoded, or at least queued */
    int64_t handles, states, headers; /* in use */
    int64_t violations;               /* of what correct programs never do */
    char violation[200];              /* the first of them */
    char failed_call[40];             /* the call that gave fail_status */
} fake_nvjpeg_counters;

/* Starts anew; gives -1, and does nothing, while something is in use or the driver is none. */
int fake_nvjpeg_reset(const fake_nvjpeg_settings *s);
void fake_nvjpeg_count(fake_nvjpeg_counters *out);

#endif
