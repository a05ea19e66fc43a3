/*
 * The row engine behind a sink: intake, column crop, the two passes in either order, and store. All of its memory,
 * including this struct, is in one block that the caller provides. The engine works in the order in which rows arrive:
 * plan.go translates orientations.
 */
#ifndef SPOOL_ENGINE_H
#define SPOOL_ENGINE_H

#include "kernels.h"
#include "sink.h"

enum { SPOOL_ALPHA_KEEP, SPOOL_ALPHA_DROP, SPOOL_ALPHA_BLEND };
enum { SPOOL_UINT8, SPOOL_UINT16, SPOOL_FLOAT16, SPOOL_FLOAT32, SPOOL_BFLOAT16 };

#define SPOOL_ALIGN 64               /* of the parts of scratch memory */
#define SPOOL_BLOCK_ROWS 16          /* maximum rows lent at a time */
#define SPOOL_BLOCK_BYTES (64 << 10) /* and their bytes, so that they stay in the cache; a group may exceed it */
#define SPOOL_WHOLE_TAPS 64          /* maximum taps when all rows are in memory together */
#define SPOOL_TILE 16                /* rows of a transposed image that are stored together */

/*
 * Rows are lent at unaligned addresses. libjpeg-turbo stores aligned rows past the cache, and the horizontal pass would
 * have to load them again, which takes twice as long as the pass.
 */
#define SPOOL_BLOCK_OFFSET 8

/* The size of one axis. taps is the length of its longest window, 0 without a resize. */
typedef struct {
    int32_t in, out, taps, precision;
    int32_t wide;    /* weights have more than 16 bits */
    int32_t overlap; /* vertical axis: maximum windows that a group of rows contributes to */
    int32_t quads;   /* horizontal axis: the windows of any four outputs are within SPOOL_QUAD_BYTES */
} spool_axis;

/* The operations of a sink. plan.go documents and validates the fields. */
typedef struct {
    int32_t width, height, channels;
    int32_t words; /* samples have 16 bits */
    int32_t alpha, luma, premultiply;
    uint8_t background[3];
    int32_t left, right, top;
    spool_axis horizontal, vertical;
    int32_t ring_bytes; /* rows between the passes are kept up to this size, even if sums would take less */
    int32_t vertical_first;
    int32_t transpose; /* row i after the passes is column i of the image */
    int32_t upward;    /* rows (or columns) are stored from the last to the first */
    int32_t canvas_width, canvas_height, x, y;
    uint8_t pad[4];
    int32_t out_channels;
    int32_t swap;
    int32_t type;
    int32_t planar;
    float mean[4], std[4];
} spool_plan;

typedef struct {
    spool_sink sink; /* first member, so that a pointer to it is a pointer to the engine */
    const spool_kernels *kernels;
    const spool_depth *depth; /* the kernels for samples after intake */
    spool_plan plan;
    int32_t channels;     /* after intake */
    int32_t sample;       /* bytes of a sample after intake */
    int32_t pushed_pixel; /* bytes of a pushed pixel */
    int32_t elem;         /* bytes of an output element */
    int32_t plain;        /* finished rows are stored unchanged */
    int32_t direct;       /* and rows are not processed at all: the lent rows are the output's own */
    int32_t vertical_first;
    spool_taps horizontal, vertical;
    uint8_t *dst;

    int32_t row;     /* rows taken so far, in the vertical axis's coordinates */
    int32_t done;    /* completed output rows */
    int32_t pending; /* rows in the block that are not processed yet */

    uint8_t *block; /* rows lent to the decoder */
    size_t block_stride;
    int32_t block_rows;
    uint8_t *converted[2]; /* two buffers for a group of rows, which the steps of intake use alternately */
    size_t converted_stride;
    uint8_t *narrow; /* a group of rows after a horizontal pass without a ring */
    size_t narrow_stride;

    /* Between the passes: the rows of the longest window, or the sums of each output whose window has begun. */
    size_t between; /* samples of a row */
    uint8_t *ring;
    size_t ring_stride;
    int32_t ring_rows;
    const uint8_t **window; /* pointers to the ring's rows, twice in succession, so that every window is contiguous */
    uint8_t *sums;
    size_t sums_stride;

    uint8_t *tall; /* a group of rows after the vertical pass, if it runs first */
    size_t tall_stride;
    int32_t tall_rows;

    uint8_t *line; /* finished rows before they are stored: one row, a group, or a tile */
    size_t line_stride;
    uint8_t *across; /* the pixels of a tile that are in one row of the image */
    void *table;     /* for each output channel, the 256 elements that bytes are converted to */
    spool_mapping drop_map;
    spool_mapping image_map[4], pad_map[4]; /* one for all channels, or one for each plane */
} spool_engine;

/* The bytes of memory for an engine with this plan. memory.go counts the same. */
size_t spool_engine_bytes(const spool_plan *plan);

/*
 * The taps of one axis as the caller passes them: output i has count[i] weights from i * stride on, in one of two
 * arrays. Without start, the axis is the identity.
 */
typedef struct {
    const int32_t *start, *count;
    const int16_t *weights;
    const int32_t *wide;
    int32_t stride;
    int32_t mirrored;  /* the input is mirrored: windows are counted from its end */
    int32_t backwards; /* outputs are in reverse order */
} spool_axis_taps;

/*
 * Lays out an engine in memory of so many bytes, with the kernels of a level (spool_kernels_at), copies the taps of the
 * axes that have any, and pads the canvas. Returns NULL, without a change, if the memory is too small.
 */
spool_engine *spool_engine_open(void *memory, size_t bytes, const spool_plan *plan, int level, uint8_t *dst,
                                spool_axis_taps across, spool_axis_taps down);

/* Copy the taps of an axis (taps.c). */
void spool_engine_horizontal(spool_engine *e, spool_axis_taps from);
void spool_engine_vertical(spool_engine *e, spool_axis_taps from);

/* Begins another image of the same plan in the same memory, and pads its canvas (engine.c). */
void spool_engine_begin(spool_engine *e, uint8_t *dst);

/* The sink's two functions (engine.c). */
uint8_t *spool_engine_lend(spool_sink *sink, ptrdiff_t *stride, int *rows);
int spool_engine_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

/* Pushes rows of one color until the sink has enough. */
void spool_engine_fill(spool_engine *e, const uint8_t color[3]);

/*
 * Processes all wanted rows at once, if they are in memory together and the vertical pass runs first. Windows then need
 * no ring. Returns 0 if this is impossible (passes.c).
 */
int spool_engine_whole(spool_engine *e, const uint8_t *rows, ptrdiff_t stride);

/* Processes n rows, at most a group, from intake to store. The array row has room for a whole group (passes.c). */
void spool_engine_work(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n);

/* Reverts intake's premultiplication of n RGBA pixels (intake.c). */
void spool_unpremultiply(uint8_t *rgba, size_t n);

/* Converts the used columns of n rows of a group, and points row[i] to the result (intake.c). */
void spool_intake(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n);

/* Memory for finished row i, to be stored by spool_store_row. It has room for slack, except for plain rows. */
uint8_t *spool_store_room(const spool_engine *e, int32_t i);

/* Stores finished row i from any memory. Rows come in order (store.c). */
void spool_store_row(spool_engine *e, const uint8_t *pixels, int32_t i);

/* Fills the canvas outside the image with the padding color. */
void spool_store_padding(const spool_engine *e);

/* Store n pixels at x, y of the canvas: of the image, or in the padding color (pixels.c). */
void spool_store_pixels(const spool_engine *e, const uint8_t *pixels, int32_t x, int32_t y, int32_t n);
void spool_store_color(const spool_engine *e, int32_t x, int32_t y, int32_t n);
void spool_store_init(spool_engine *e);

static inline size_t spool_round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* The bytes from one row to the next. With a multiple of 4096, all rows would compete for the same cache lines. */
static inline size_t spool_row_stride(size_t bytes)
{
    size_t stride = spool_round_up(bytes + SPOOL_SLACK, SPOOL_ALIGN);
    return stride % 4096 == 0 ? stride + SPOOL_ALIGN : stride;
}

static inline int32_t spool_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t spool_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The number of rows of so many bytes that are lent at a time, at most. */
static inline int32_t spool_block_rows(size_t bytes)
{
    const int32_t rows = (int32_t)(SPOOL_BLOCK_BYTES / spool_row_stride(bytes));
    return spool_max(spool_min(rows / SPOOL_GROUP * SPOOL_GROUP, SPOOL_BLOCK_ROWS), SPOOL_GROUP);
}

#endif
