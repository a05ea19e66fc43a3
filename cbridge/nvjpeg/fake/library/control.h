#ifndef SPOOL_FAKE_NVJPEG_CONTROL_H
#define SPOOL_FAKE_NVJPEG_CONTROL_H

#include <stdint.h>

/* The controls of the simulated nvJPEG, in addition to the entry points of the real one. */
typedef struct {
    const char *driver; /* file of the simulated driver that owns the device's memory and streams */
    int32_t version[3];
    int32_t hardware;  /* the device has a JPEG engine */
    int64_t fail_call; /* this call returns fail_status, counted from 1; 0: none */
    int32_t fail_status;
} fake_nvjpeg_settings;

typedef struct {
    int64_t calls, batches, images;   /* decoded, or at least queued */
    int64_t handles, states, headers; /* in use */
    int64_t violations;               /* calls that correct programs never make */
    char violation[200];              /* the first of them */
    char failed_call[40];             /* the call that returned fail_status */
} fake_nvjpeg_counters;

/*
 * Sets the settings and clears the counters. Returns -1 and does nothing while an object is in use, or if the driver's
 * file is not a simulated driver.
 */
int fake_nvjpeg_reset(const fake_nvjpeg_settings *s);
void fake_nvjpeg_count(fake_nvjpeg_counters *out);

#endif
