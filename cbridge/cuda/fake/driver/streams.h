#ifndef SPOOL_FAKE_STREAMS_H
#define SPOOL_FAKE_STREAMS_H

#include "fake.h"

typedef enum { COPY_TO_DEVICE, COPY_TO_HOST, RECORD, WAIT, WORK } kind;

typedef struct operation {
    struct operation *next;
    kind kind;
    long delay_us;
    mark *mark;          /* RECORD, WAIT */
    char *device, *host; /* copies */
    char *staged;        /* what host was, if the driver took a copy: it is not registered */
    size_t size;
    uint64_t sum; /* of the host's bytes when the copy to the device was queued */
    fake_work *work;
    void *argument; /* of work, which is called once in any case */
} operation;

/* A queue with a thread that does what is in it. */
struct stream {
    stream *next;
    CUcontext context;
    int id, standard, held, closing;
    uint64_t queued, done; /* operations */
    uint64_t clock[MAX_STREAMS];
    operation *first, **last;
    pthread_t thread;
};

/* Adds an operation, which comes after everything that the host knows to be done. */
operation *queue(stream *s, kind k);

/* Lets go of a mark. */
void drop(mark *m);

#endif
