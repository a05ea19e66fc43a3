#ifndef SPOOL_FAKE_NVJPEG_H
#define SPOOL_FAKE_NVJPEG_H

#include <pthread.h>

#include "driver/control.h"
#include "api.h"
#include "control.h"

/* The used part of the simulated driver. */
typedef struct {
    uintptr_t (*current)(void);
    int (*lost)(void);
    int (*run)(const char *call, uintptr_t stream, uint64_t to, size_t n, fake_work *work, void *argument);
    unsigned int (*alloc)(unsigned long long *out, size_t n);
    unsigned int (*free)(unsigned long long p);
} driver;

struct nvjpegHandle {
    nvjpegBackend_t backend;
    unsigned int flags;
};

struct nvjpegJpegState {
    nvjpegHandle_t handle;
    unsigned long long memory; /* device memory, which the real library allocates too */
    int batch;
    int busy; /* images that are queued */
    int ended;
};

/* The content of an image's header. */
struct nvjpegJpegStream {
    nvjpegHandle_t handle;
    int parsed, progressive, components;
    unsigned int width, height;
};

typedef struct {
    pthread_mutex_t lock;
    driver driver;
    fake_nvjpeg_settings settings;
    fake_nvjpeg_counters counters;
} fake_nvjpeg;

extern fake_nvjpeg fake;

/*
 * calls.c: begin() and end() enclose every entry point. begin() locks, and returns the failure to report instead, if
 * any.
 */
nvjpegStatus_t begin(const char *call);
nvjpegStatus_t end(nvjpegStatus_t status);
void violate(const char *format, ...);

/* image.c: libjpeg in place of the device. The result for damaged images is BAD_JPEG, if the damage is detected. */
nvjpegStatus_t read_header(const unsigned char *data, size_t n, struct nvjpegJpegStream *out);
nvjpegStatus_t read_pixels(const unsigned char *data, size_t n, int strict, unsigned char **rgb, unsigned int *width,
                           unsigned int *height);

#endif
