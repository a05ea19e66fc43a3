#ifndef SPOOL_ICC_H
#define SPOOL_ICC_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

/* The colour spaces of a profile, in the order of options.go. */
enum { SPOOL_ICC_GRAY, SPOOL_ICC_RGB, SPOOL_ICC_CMYK };

/* What init returns. */
enum {
    SPOOL_ICC_OK = 0,
    SPOOL_ICC_IDENTITY = 1,   /* the profile is sRGB, or as good as that: rows need no conversion */
    SPOOL_ICC_BROKEN = -1,    /* not a profile that lcms can read */
    SPOOL_ICC_UNFIT = -2,     /* a profile of another colour space, or of a kind that is not for pictures */
    SPOOL_ICC_TOO_LARGE = -3, /* lcms asked for more memory than it may have */
    SPOOL_ICC_NO_MEMORY = -4
};

/* The rows that come. */
typedef struct {
    int32_t width, channels, bits, color;
} spool_icc_rows;

/* What lcms took and said in the name of one transform. */
typedef struct {
    int64_t used, limit; /* bytes; limit 0: none */
    int32_t refused;     /* 1: beyond the limit; 2: the system had no more */
    void *blocks;        /* not freed yet */
    char text[160];      /* lcms' first complaint; empty when it had none */
} spool_icc_account;

/* From a profile to sRGB. It is only read once it is open: any number of threads may use it. */
typedef struct {
    spool_icc_account account;
    void *context, *lcms; /* lcms' context and transform */
} spool_icc_transform;

/*
 * Opens a zeroed transform of such rows, whatever their width. The profile is read during the call only.
 * Only after OK there is something to close.
 */
int spool_icc_open(spool_icc_transform *transform, const spool_icc_rows *rows, const void *profile, size_t size,
                   int64_t max_memory);
void spool_icc_close(spool_icc_transform *transform);

typedef struct {
    spool_sink sink; /* first, so that a pointer to it is a pointer to this */
    spool_sink *next;
    spool_icc_rows rows;
    void *lcms;                /* lent */
    int32_t columns;           /* that are looked at, from sink.left on */
    int32_t pixel, next_pixel; /* bytes */
    int32_t strip_rows;
    uint8_t *strip; /* lent to the decoder: strip_rows rows */
    uint8_t *plane; /* a converted row of gray that is to be repeated */
} spool_icc_sink;

/* The memory that a sink for such rows needs: the struct and its rows. */
size_t spool_icc_sink_bytes(const spool_icc_rows *rows);

/* Makes a sink of memory of that size. There is nothing to close. */
void spool_icc_sink_init(spool_icc_sink *sink, spool_sink *next, const spool_icc_rows *rows,
                         const spool_icc_transform *transform);

/* A sink's push, for callers that cannot call through its pointer. */
int spool_icc_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

/* The bytes that lcms holds for all transforms of the process. */
int64_t spool_icc_in_use(void);

#endif
