#include "handoff.h"

#include <pthread.h>

enum { PLACES = 64 };

static struct {
    uintptr_t loader; /* 0: the place is free */
    spool_batch batch;
} places[PLACES];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int32_t spool_handoff_put(uintptr_t loader, const spool_batch *batch)
{
    pthread_mutex_lock(&mutex);
    int32_t is_free = places[loader % PLACES].loader == 0;
    if (is_free) {
        places[loader % PLACES].loader = loader;
        places[loader % PLACES].batch = *batch;
    }
    pthread_mutex_unlock(&mutex);
    return is_free;
}

int32_t spool_handoff_take(uintptr_t loader, spool_batch *batch)
{
    pthread_mutex_lock(&mutex);
    int32_t found = loader && places[loader % PLACES].loader == loader;
    if (found) {
        *batch = places[loader % PLACES].batch;
        places[loader % PLACES].loader = 0;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

int32_t spool_handoff_holds(uintptr_t loader)
{
    pthread_mutex_lock(&mutex);
    int32_t found = places[loader % PLACES].loader == loader;
    pthread_mutex_unlock(&mutex);
    return found;
}
