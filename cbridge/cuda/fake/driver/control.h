#ifndef SPOOL_FAKE_CONTROL_H
#define SPOOL_FAKE_CONTROL_H

#include <stddef.h>
#include <stdint.h>

/* What tests ask of the fake driver, beside the entry points of the real one. */
typedef struct {
    int32_t devices;
    int32_t broken;    /* what cuInit gives, if it is not 0 */
    int64_t memory;    /* bytes a device has */
    int64_t lockable;  /* bytes of the host's memory that can be registered */
    int64_t delay_us;  /* each operation of a stream takes up to this long, at random */
    uint64_t seed;     /* of the delays */
    int64_t fail_call; /* this call gives fail_code, counted from 1; 0 for none */
    int64_t fail_op;   /* this operation of a stream is not done and ends the device with fail_code */
    int32_t fail_code;
    int32_t lost; /* after fail_call no call succeeds any more, and nothing queued is done */
} fake_settings;

typedef struct {
    int64_t calls, operations;
    int64_t to_device_copies, to_device_bytes, to_host_copies, to_host_bytes;
    int64_t pageable_bytes; /* of these, from or to memory that was not registered */
    int64_t device_bytes, device_peak, registered_bytes;
    int64_t blocks, streams, events, modules, contexts;
    int64_t launches;
    int64_t pushed;       /* contexts that were pushed and not popped */
    int64_t violations;   /* of what correct programs never do */
    char violation[200];  /* the first of them */
    char failed_call[40]; /* the call that gave fail_code */
} fake_counters;

/* Starts anew; gives -1, and does nothing, while something is in use. */
int fake_reset(const fake_settings *s);
void fake_count(fake_counters *out);

/* Streams do nothing from now on; 0 is all of them. fake_go ends it. */
void fake_hold(uintptr_t stream);
void fake_go(void);

/*
 * What another library of NVIDIA's does on the device: writes n bytes at an address, in a stream, when it is its turn.
 * Work gets the bytes, or NULL where nothing is done any more, once; where the call fails it is not called.
 */
typedef void fake_work(void *bytes, void *argument);
int fake_lost(void); /* nothing that is queued is done any more, and nothing waits for it */
int fake_run(const char *call, uintptr_t stream, uint64_t to, size_t n, fake_work *work, void *argument);

/* What is current on the calling thread; and another library of the process, that makes a device's context current. */
uintptr_t fake_current(void);
void fake_push(int device);
void fake_pop(void);

#endif
