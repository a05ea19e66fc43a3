#ifndef SPOOL_FAKE_CONTROL_H
#define SPOOL_FAKE_CONTROL_H

#include <stddef.h>
#include <stdint.h>

/* The interface for tests, in addition to the functions of the real driver. */
typedef struct {
    int32_t devices;
    int32_t broken;    /* the result of cuInit, if not 0 */
    int64_t memory;    /* bytes of a device */
    int64_t lockable;  /* bytes of host memory that can be registered */
    int64_t delay_us;  /* maximum random delay of each stream operation */
    uint64_t seed;     /* of the delays */
    int64_t fail_call; /* this call, counted from 1, returns fail_code; 0 for none */
    int64_t fail_op;   /* this stream operation fails, and the device is lost with fail_code */
    int32_t fail_code;
    int32_t lost; /* after fail_call all calls fail, and nothing queued is done */
} fake_settings;

typedef struct {
    int64_t calls, operations;
    int64_t to_device_copies, to_device_bytes, to_host_copies, to_host_bytes;
    int64_t pageable_bytes; /* of these copies, from or to unregistered memory */
    int64_t device_bytes, device_peak, registered_bytes;
    int64_t blocks, streams, events, modules, contexts;
    int64_t launches;
    int64_t pushed;       /* contexts pushed and not popped */
    int64_t violations;   /* errors of the calling program */
    char violation[200];  /* the first violation */
    char failed_call[40]; /* the call that gave fail_code */
} fake_counters;

/* Resets everything. Returns -1 and does nothing if resources are in use. */
int fake_reset(const fake_settings *s);
void fake_count(fake_counters *out);

/* Pauses a stream, or all streams for 0, until fake_go. */
void fake_hold(uintptr_t stream);
void fake_go(void);

/*
 * An operation of another NVIDIA library: writes n bytes at an address, in a stream. work is called once, with the
 * bytes, or with NULL if the device is lost. It is not called if fake_run fails.
 */
typedef void fake_work(void *bytes, void *argument);
int fake_lost(void); /* nonzero if the device is lost: nothing queued is done, and no wait blocks */
int fake_run(const char *call, uintptr_t stream, uint64_t to, size_t n, fake_work *work, void *argument);

/* The current context of the calling thread, and a push as by another library of the process. */
uintptr_t fake_current(void);
void fake_push(int device);
void fake_pop(void);

#endif
