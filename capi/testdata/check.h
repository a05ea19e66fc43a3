/* Shared by the programs here: a program ends at the first failed check, and prints its position. */
#ifndef CHECK_H
#define CHECK_H

#include "spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static spool_error failure;

#define EXPECT(what)                                                           \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* A call that must succeed. Its last argument is &failure. */
#define DO(call)                                                                                                    \
    do {                                                                                                            \
        if ((call) != SPOOL_OK) {                                                                                   \
            fprintf(stderr, "%s:%d: %s: %s %s: %s\n", __FILE__, __LINE__, #call, failure.error_class, failure.file, \
                    failure.text);                                                                                  \
            exit(1);                                                                                                \
        }                                                                                                           \
    } while (0)

/* A call that must fail with this status and class. */
#define REFUSED(status_, class_, call)                      \
    do {                                                    \
        memset(&failure, 0x55, sizeof failure);             \
        EXPECT((call) == (status_));                        \
        EXPECT(failure.status == (status_));                \
        EXPECT(strcmp(failure.error_class, (class_)) == 0); \
        EXPECT(failure.text[0] && failure.op[0]);           \
    } while (0)

/* A number of spool_stats. */
static inline long long stat_of(const char *key)
{
    spool_array *json;
    spool_array_view view;
    char quoted[64];
    DO(spool_stats(&json, &failure));
    spool_array_describe(json, &view);
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr((const char *)view.data, quoted);
    EXPECT(at != NULL);
    long long n = strtoll(at + strlen(quoted), NULL, 10);
    spool_array_release(json);
    return n;
}

/* Checks that nothing is leaked. */
static inline void nothing_left(void)
{
    EXPECT(stat_of("arrays") == 0);
    EXPECT(stat_of("handles") == 0);
    EXPECT(stat_of("decoders") == 0);
    EXPECT(stat_of("c_bytes") == 0);
    EXPECT(stat_of("libvips_bytes") == 0);
    EXPECT(stat_of("ffmpeg_handles") == 0);
    EXPECT(stat_of("forgotten_pools") == 0);
    EXPECT(stat_of("used_bytes") == 0);
}

#endif
