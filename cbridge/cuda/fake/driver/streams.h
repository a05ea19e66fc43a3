#ifndef SPOOL_FAKE_STREAMS_H
#define SPOOL_FAKE_STREAMS_H

#include "fake.h"

typedef enum { COPY_TO_DEVICE, COPY_TO_HOST, RECORD, WAIT, WORK } kind;

typedef struct operation {
    struct operation *next;
    kind kind;
    long delay_us;
    mark *mark;          /* RECORD, WAIT */
    char *device, *host; /* for copies */
    char *staged;        /* a copy of unregistered host memory */
    size_t size;
    uint64_t sum; /* checksum of the host's bytes when the copy to the device was queued */
    fake_work *work;
    void *argument; /* of work, which is always called once */
} operation;

/* A queue with a thread that runs its operations. */
struct stream {
    stream *next;
    CUcontext context;
    int id, standard, held, closing;
    uint64_t queued, done; /* numbers of operations */
    uint64_t clock[MAX_STREAMS];
    operation *first, **last;
    pthread_t thread;
};

/* Adds an operation, which follows everything that the host knows is done. */
operation *queue(stream *s, kind k);

/* Releases a reference to a mark. */
void drop(mark *m);

#endif
