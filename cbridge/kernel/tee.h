/* A sink in front of several: it passes each row to the sinks that need it. All have images of one size and format. */
#ifndef SPOOL_TEE_H
#define SPOOL_TEE_H

#include "sink.h"

typedef struct {
    spool_sink sink; /* first member, so that a pointer to it is a pointer to the tee */
    spool_sink **to;
    int32_t count;
    int32_t row;    /* the next row, of the image */
    uint8_t *block; /* rows lent to the decoder */
    ptrdiff_t block_stride;
    int32_t block_rows;
} spool_tee;

/* The bytes of memory for a tee of count sinks for rows of so many bytes. */
size_t spool_tee_bytes(int32_t count, size_t row_bytes);

/* Lays out a tee in memory of that size, for at least one sink. The array is copied. */
spool_tee *spool_tee_open(void *memory, spool_sink *const *to, int32_t count, size_t row_bytes);

/* Begins another image. The sinks are begun by the caller. */
void spool_tee_begin(spool_tee *t);

/* The push of a tee, for callers that cannot call through a function pointer. */
int spool_tee_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

#endif
