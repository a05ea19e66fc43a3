#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* Bytes that an operation accesses, in host or device memory. Host and device addresses do not overlap. */
typedef struct {
    uintptr_t from, to;
    int stream, writes;
    uint64_t number;
    const char *what;
} access;

static access *accesses;
static size_t count, room;

void clock_join(uint64_t *clock, const uint64_t *other)
{
    for (int i = 0; i < MAX_STREAMS; i++)
        if (clock[i] < other[i])
            clock[i] = other[i];
}

/* Removes accesses that the host knows are done: all operations queued from now on follow them. */
static void prune(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (accesses[i].number > fake.host[accesses[i].stream])
            accesses[kept++] = accesses[i];
    count = kept;
}

static const access *clash(const uint64_t *clock, int writes, uintptr_t from, uintptr_t to)
{
    prune();
    for (size_t i = 0; i < count; i++) {
        const access *a = &accesses[i];
        if (a->from < to && from < a->to && (a->writes || writes) && (!clock || a->number > clock[a->stream]))
            return a;
    }
    return NULL;
}

void touch(const uint64_t *clock, int stream, int writes, uintptr_t from, size_t n, const char *what)
{
    const access *other = clash(clock, writes, from, from + n);

    if (other)
        violate("%s, stream %d, is not ordered behind %s, stream %d", what, stream, other->what, other->stream);
    if (count == room) {
        room = room ? 2 * room : 64;
        accesses = realloc(accesses, room * sizeof *accesses);
        if (!accesses)
            abort();
    }
    accesses[count++] = (access){from, from + n, stream, writes, clock[stream], what};
}

int untouched(uintptr_t from, size_t n)
{
    return clash(NULL, 1, from, from + n) == NULL;
}

void forget_touches(void)
{
    free(accesses);
    accesses = NULL;
    count = room = 0;
}
