#ifndef SPOOL_FAKE_H
#define SPOOL_FAKE_H

#include <pthread.h>
#include <stdint.h>

#include "control.h"
#include "driver.h"

/* Error codes that only the simulated driver creates. */
enum {
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
};

enum { MAX_DEVICES = 4, MAX_STREAMS = 64, MAX_DEPTH = 16, MAX_THREADS = 256 };

typedef struct stream stream;

/* The state of a recorded event. Waits hold a reference, so it outlives the event. */
typedef struct {
    int references, reached;
    uint64_t clock[MAX_STREAMS];
} mark;

struct CUctx_st {
    int device, retained;
    stream *standard; /* the default stream, created on first use */
};

struct CUevent_st {
    CUevent next;
    CUcontext context;
    mark *mark; /* NULL until recorded */
};

/* A block of device memory. Its bytes are at another address in host memory. */
typedef struct block {
    struct block *next;
    CUcontext context;
    CUdeviceptr address;
    size_t size;
    char *bytes;
} block;

/* All state, protected by one lock. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    fake_settings settings;
    fake_counters counters;
    uint64_t random;
    int initialised, holding;
    CUresult lost; /* if not 0, every call returns it */
    struct CUctx_st contexts[MAX_DEVICES];
    stream *streams;
    CUevent events;
    block *blocks;
    int last_id;
    uint64_t numbers[MAX_STREAMS]; /* number of the last operation of closed streams, by stream id */
    uint64_t host[MAX_STREAMS];    /* operations that the host knows are done: see order.c */
} fake_driver;

extern fake_driver fake;

/* calls.c: the prologue and epilogue of each function. begin() takes the lock, and returns an injected failure. */
CUresult begin(const char *call);
CUresult begin_in_context(const char *call, CUcontext *current);
CUresult end(CUresult code);
void violate(const char *format, ...);

/* streams.c */
stream *stream_of(CUcontext c, CUstream handle);
void end_streams(CUcontext c);
int streams_of(CUcontext c);

/* modules.c */
int modules_of(CUcontext c);

/* memory.c */
block *block_at(CUdeviceptr p, size_t n);
int is_registered(const char *p, size_t n);
int memory_in_use(CUcontext c);

/*
 * order.c: checks the order of accesses with vector clocks. A clock has, for each stream, the number of the last
 * operation known to be done. An operation's clock, set when it is queued, tells which operations it follows. If two
 * operations access the same bytes and one of them writes, their clocks must be ordered, through events or waits of the
 * host.
 */
void clock_join(uint64_t *clock, const uint64_t *other);
void touch(const uint64_t *clock, int stream, int writes, uintptr_t from, size_t n, const char *what);
int untouched(uintptr_t from, size_t n);
void forget_touches(void);

#endif
