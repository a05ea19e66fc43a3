#ifndef SPOOL_ICC_H
#define SPOOL_ICC_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

/* The color spaces of a profile, in the order of options.go. */
enum { SPOOL_ICC_GRAY, SPOOL_ICC_RGB, SPOOL_ICC_CMYK };

/* Result codes of spool_icc_open. */
enum {
    SPOOL_ICC_OK = 0,
    SPOOL_ICC_IDENTITY = 1,   /* the profile is sRGB or within one level of it: no conversion needed */
    SPOOL_ICC_BROKEN = -1,    /* not a profile that lcms can read */
    SPOOL_ICC_UNFIT = -2,     /* a profile of another color space, or not for images */
    SPOOL_ICC_TOO_LARGE = -3, /* lcms needs more memory than the limit */
    SPOOL_ICC_NO_MEMORY = -4
};

/* The format of the rows. */
typedef struct {
    int32_t width, channels, bits, color;
} spool_icc_rows;

/* Memory and messages of lcms for one transform. */
typedef struct {
    int64_t used, limit; /* bytes; limit 0 means none */
    int32_t refused;     /* 1: beyond the limit; 2: the system has no memory */
    void *blocks;        /* the blocks in use */
    char text[160];      /* lcms' first message; empty if there is none */
} spool_icc_account;

/* A transform from a profile to sRGB. It is read-only once open, so any number of threads may use it. */
typedef struct {
    spool_icc_account account;
    void *context, *lcms; /* lcms' context and transform */
} spool_icc_transform;

/*
 * Opens a zeroed transform for such rows of any width. It borrows the profile for the call. The transform must be
 * closed only after SPOOL_ICC_OK.
 */
int spool_icc_open(spool_icc_transform *transform, const spool_icc_rows *rows, const void *profile, size_t size,
                   int64_t max_memory);
void spool_icc_close(spool_icc_transform *transform);

typedef struct {
    spool_sink sink; /* first, so that a spool_sink pointer can be cast */
    spool_sink *next;
    spool_icc_rows rows;
    void *lcms;                /* borrowed */
    int32_t columns;           /* number of converted columns, from sink.left */
    int32_t pixel, next_pixel; /* bytes of a pixel */
    int32_t strip_rows;
    uint8_t *strip; /* for lend: strip_rows rows */
    uint8_t *plane; /* a converted row of gray, before its sample is repeated */
} spool_icc_sink;

/* Returns the size of a sink for such rows: the struct and its row buffers. */
size_t spool_icc_sink_bytes(const spool_icc_rows *rows);

/* Initializes a sink in memory of that size. It needs no close. */
void spool_icc_sink_init(spool_icc_sink *sink, spool_sink *next, const spool_icc_rows *rows,
                         const spool_icc_transform *transform);

/* Calls a sink's push, for callers that cannot call through a function pointer. */
int spool_icc_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

/* Returns the number of bytes that lcms uses for all transforms of the process. */
int64_t spool_icc_in_use(void);

#endif
