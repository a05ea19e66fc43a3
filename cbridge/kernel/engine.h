/*
 * The row engine behind a sink: intake, column crop, horizontal pass, a ring of narrow rows, vertical
 * pass and store. All of its memory, this struct included, lies in one block that the caller gives.
 */
#ifndef SPOOL_ENGINE_H
#define SPOOL_ENGINE_H

#include "kernels.h"
#include "sink.h"

enum { SPOOL_INTAKE_NONE, SPOOL_INTAKE_DROP_ALPHA, SPOOL_INTAKE_BLEND, SPOOL_INTAKE_GRAY };
#define SPOOL_BLOCK_ROWS 16 /* rows lent at a time, at most */

enum { SPOOL_UINT8, SPOOL_FLOAT16, SPOOL_FLOAT32 };

/* The size of one axis; taps is the length of its longest window, 0 where nothing is resized. */
typedef struct {
    int32_t in, out, taps, precision;
} spool_axis;

/* What a sink does: plan.go says what the fields mean, and checks them. */
typedef struct {
    int32_t width, height, channels;
    int32_t intake;
    uint8_t background[3];
    int32_t left, right, top;
    spool_axis horizontal, vertical;
    int32_t canvas_width, canvas_height, x, y;
    uint8_t pad[4];
    int32_t out_channels;
    int32_t swap;
    int32_t type;
    int32_t planar;
    float mean[4], std[4];
} spool_plan;

typedef struct {
    spool_sink sink; /* first, so that a pointer to it is a pointer to the engine */
    const spool_kernels *kernels;
    spool_plan plan;
    int32_t channels; /* after intake */
    int32_t elem;     /* bytes of an output element */
    int32_t plain;    /* rows are stored as they are: uint8, interleaved, same channels */
    int32_t direct;   /* and nothing else is done to them: the rows lent are the output's own */
    spool_taps horizontal, vertical;
    uint8_t *dst;

    int32_t row;     /* rows that went through the horizontal pass, as the vertical axis counts them */
    int32_t done;    /* output rows complete */
    int32_t pending; /* rows in the block that wait for more */

    uint8_t *block; /* rows lent to the decoder */
    size_t block_stride;
    int32_t block_rows;
    uint8_t *converted; /* a group of rows after intake */
    size_t converted_stride;
    uint8_t *ring; /* rows after the horizontal pass */
    size_t ring_stride;
    int32_t ring_rows;
    const uint8_t **window; /* the ring's rows, twice over, so that every window is a run of it */
    uint8_t *line;          /* a row before it is stored */
    void *table;            /* 256 elements for each output channel: what becomes of each byte */
    spool_mapping intake_map;
    spool_mapping picture_map[4], pad_map[4]; /* one for all channels, or one for each plane */
} spool_engine;

/* Bytes of memory that an engine for the plan takes. */
size_t spool_engine_bytes(const spool_plan *plan);

/* Lays an engine out in memory of that size, with the kernels of a level (spool_kernels_at), and pads the canvas. */
spool_engine *spool_engine_init(void *memory, const spool_plan *plan, int level, uint8_t *dst);

/* Copies the taps of the plan's axes, once for each axis that has some: output i has count[i] weights at weights + i *
 * stride. */
void spool_engine_horizontal(spool_engine *e, const int32_t *start, const int32_t *count, const int16_t *weights,
                             int32_t stride);
void spool_engine_vertical(spool_engine *e, const int32_t *start, const int32_t *count, const int16_t *weights,
                           int32_t stride);

/* The sink's two functions (engine.c). */
uint8_t *spool_engine_lend(spool_sink *sink, ptrdiff_t *stride, int *rows);
int spool_engine_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

/* Pushes rows of one colour until the sink has enough. */
void spool_engine_fill(spool_engine *e, const uint8_t color[3]);

/* Pushes a whole stored picture as EXIF orientation 1..8 turns it; its turned size is the plan's. */
int spool_engine_push_oriented(spool_engine *e, const uint8_t *pixels, int32_t width, int32_t height, int orientation);

/* Stores n pixels, mapped as map says, at x, y of the canvas (store.c). */
void spool_store(spool_engine *e, const spool_mapping *map, const uint8_t *pixels, int32_t x, int32_t y, int32_t n);
void spool_store_init(spool_engine *e);

/* Where a pixel of the canvas lies in the output; for interleaved layouts. */
static inline uint8_t *spool_store_at(const spool_engine *e, int32_t x, int32_t y)
{
    return e->dst + ((size_t)y * e->plan.canvas_width + x) * e->plan.out_channels * e->elem;
}

#endif
