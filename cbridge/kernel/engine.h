/*
 * The row engine behind a sink: intake, column crop, the two passes in either order and store. All of its memory, this
 * struct included, lies in one block that the caller gives.
 *
 * Whatever is turned or mirrored, the engine works in the order in which rows come: plan.go translates.
 */
#ifndef SPOOL_ENGINE_H
#define SPOOL_ENGINE_H

#include "kernels.h"
#include "sink.h"

enum { SPOOL_ALPHA_KEEP, SPOOL_ALPHA_DROP, SPOOL_ALPHA_BLEND };
enum { SPOOL_UINT8, SPOOL_UINT16, SPOOL_FLOAT16, SPOOL_FLOAT32 };

#define SPOOL_BLOCK_ROWS 16 /* rows lent at a time, at most */
#define SPOOL_WHOLE_TAPS 64 /* of windows that are taken from rows that lie in memory together, at most */
#define SPOOL_TILE 16       /* rows of a transposed picture that are stored together */

/* The size of one axis; taps is the length of its longest window, 0 where nothing is resized. */
typedef struct {
    int32_t in, out, taps, precision;
    int32_t wide;    /* weights have more than 16 bits */
    int32_t overlap; /* of the vertical axis: windows that a group of rows can have a part in, at most */
    int32_t quads;   /* of the horizontal axis: the windows of four outputs lie within SPOOL_QUAD_BYTES */
} spool_axis;

/* What a sink does: plan.go says what the fields mean, and checks them. */
typedef struct {
    int32_t width, height, channels;
    int32_t words; /* samples have 16 bits */
    int32_t alpha, luma, premultiply;
    uint8_t background[3];
    int32_t left, right, top;
    spool_axis horizontal, vertical;
    int32_t ring_bytes; /* of rows between the passes that are kept even if sums would take less */
    int32_t vertical_first;
    int32_t transpose; /* what comes out as row i of the passes is column i of the picture */
    int32_t upward;    /* rows (or columns) are stored from the last one on */
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
    const spool_depth *depth; /* the kernels for samples after intake */
    spool_plan plan;
    int32_t channels;     /* after intake */
    int32_t sample;       /* bytes of a sample after intake */
    int32_t pushed_pixel; /* bytes of a pixel that is pushed */
    int32_t elem;         /* bytes of an output element */
    int32_t plain;        /* finished rows are stored as they are */
    int32_t direct;       /* and nothing else is done to them: the rows lent are the output's own */
    int32_t vertical_first;
    spool_taps horizontal, vertical;
    uint8_t *dst;

    int32_t row;     /* rows taken, as the vertical axis counts them */
    int32_t done;    /* output rows complete */
    int32_t pending; /* rows in the block that wait for more */

    uint8_t *block; /* rows lent to the decoder */
    size_t block_stride;
    int32_t block_rows;
    uint8_t *converted[2]; /* a group of rows each, which steps of intake use in turn */
    size_t converted_stride;
    uint8_t *narrow; /* a group of rows after a horizontal pass that no ring takes */
    size_t narrow_stride;

    /* Between the passes: the rows of the longest window, or sums for each output whose window has begun. */
    size_t between; /* samples of a row */
    uint8_t *ring;
    size_t ring_stride;
    int32_t ring_rows;
    const uint8_t **window; /* the ring's rows, twice over, so that every window is a run of it */
    uint8_t *sums;
    size_t sums_stride;

    uint8_t *tall; /* a group of rows after a vertical pass that came first */
    size_t tall_stride;
    int32_t tall_rows;

    uint8_t *line; /* finished rows before they are stored: one, a group of them, or a tile */
    size_t line_stride;
    uint8_t *across; /* the pixels of a tile that lie in one row of the picture */
    void *table;     /* 256 elements for each output channel: what becomes of each byte */
    spool_mapping drop_map;
    spool_mapping picture_map[4], pad_map[4]; /* one for all channels, or one for each plane */
} spool_engine;

/* Bytes of memory that an engine for the plan takes. */
size_t spool_engine_bytes(const spool_plan *plan);

/* Lays an engine out in memory of that size, with the kernels of a level (spool_kernels_at), and pads the canvas. */
spool_engine *spool_engine_init(void *memory, const spool_plan *plan, int level, uint8_t *dst);

/*
 * The taps of one axis as the caller has them: output i has count[i] weights from i * stride on, in one of two arrays.
 * Without start, they are those of an identity.
 */
typedef struct {
    const int32_t *start, *count;
    const int16_t *weights;
    const int32_t *wide;
    int32_t stride;
    int32_t mirrored;  /* the input is: windows are counted from its end */
    int32_t backwards; /* the last output is the first one */
} spool_axis_taps;

/* Copies the taps of an axis that has some (taps.c). */
void spool_engine_horizontal(spool_engine *e, spool_axis_taps from);
void spool_engine_vertical(spool_engine *e, spool_axis_taps from);

/* Begins another picture of the same plan in the same memory, and pads its canvas (engine.c). */
void spool_engine_begin(spool_engine *e, uint8_t *dst);

/* The sink's two functions (engine.c). */
uint8_t *spool_engine_lend(spool_sink *sink, ptrdiff_t *stride, int *rows);
int spool_engine_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

/* Pushes rows of one colour until the sink has enough. */
void spool_engine_fill(spool_engine *e, const uint8_t color[3]);

/*
 * Takes all rows that are wanted, which lie in memory together, where the vertical pass comes first: windows need not
 * be kept. 0 where they cannot be taken so (passes.c).
 */
int spool_engine_whole(spool_engine *e, const uint8_t *rows, ptrdiff_t stride);

/* Takes n rows, at most a group of them, all the way; row has room for a whole group (passes.c). */
void spool_engine_work(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n);

/* Takes back what intake did for premultiply, in n RGBA pixels (intake.c). */
void spool_unpremultiply(uint8_t *rgba, size_t n);

/* Converts the used columns of n rows of a group, and leaves row[i] pointing to them (intake.c). */
void spool_intake(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n);

/* Where finished row i may be written, to be stored by spool_store_row; with room for slack unless it is plain. */
uint8_t *spool_store_room(const spool_engine *e, int32_t i);

/* Stores finished row i, wherever it is. Rows come in order (store.c). */
void spool_store_row(spool_engine *e, const uint8_t *pixels, int32_t i);

/* Gives the part of the canvas that the picture leaves its colour. */
void spool_store_padding(const spool_engine *e);

/* Stores n pixels at x, y of the canvas: the picture's, or the colour around it (pixels.c). */
void spool_store_pixels(const spool_engine *e, const uint8_t *pixels, int32_t x, int32_t y, int32_t n);
void spool_store_color(const spool_engine *e, int32_t x, int32_t y, int32_t n);
void spool_store_init(spool_engine *e);

static inline int32_t spool_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t spool_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

#endif
