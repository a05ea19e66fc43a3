/*
 * The two implementations of a planes sink. One upsamples chroma and pushes rows of the image's own size (planes.c),
 * the other resizes every plane at its own resolution (planes_resized.c). All of their memory, including the struct, is
 * in one block that the caller provides.
 */
#ifndef SPOOL_PLANES_ENGINE_H
#define SPOOL_PLANES_ENGINE_H

#include "engine.h"
#include "planes.h"
#include "planes_kernels.h"

/* Calls the sink's push, for Go. */
static inline int spool_planes_push(spool_planes *planes, const spool_band *band)
{
    return planes->push(planes, band);
}

/* The properties of a planes sink. planes_plan.go documents and validates the fields. */
typedef struct {
    int32_t width, height;
    int32_t h, v; /* luma samples for each chroma sample, across and down */
    int32_t rule;
    int32_t gray; /* luma only */

    /* With SPOOL_RULE_VIDEO: */
    spool_color color;
    int32_t words;   /* samples in memory have 16 bits */
    int32_t shift;   /* converts them for the resize: right to 8 bits, or left if they stay 16-bit */
    int32_t deep;    /* samples stay 16-bit, and rows have 16 bits */
    int32_t pairs;   /* chroma is one interleaved plane */
    int32_t swapped; /* V precedes U in that plane */
    int32_t expand;  /* gray only: the range of luma changes */
} spool_planes_plan;

typedef struct {
    spool_planes planes; /* first member, so that a pointer to it is a pointer to the struct */
    const spool_planes_kernels *kernels;
    spool_convert *convert;
    spool_planes_plan plan;
    spool_sink *next;
    int32_t left, right; /* the columns to convert */
    int32_t row;         /* the next row of luma */
    uint8_t *luma;       /* the last row of a band, which waits for the chroma below it */
    uint8_t *chroma[2];  /* the chroma row that this row belongs to */
    uint8_t *wide[2];    /* a row of chroma at the width of luma */
} spool_upsampler;

/* The bytes of memory for an upsampler. spool_upsampler_init lays one out in it, in front of next. */
size_t spool_upsampler_bytes(const spool_planes_plan *plan);
spool_upsampler *spool_upsampler_init(void *memory, const spool_planes_plan *plan, int level, spool_sink *next);

typedef struct {
    spool_planes planes; /* first member, so that a pointer to it is a pointer to the struct */
    spool_convert *convert;
    spool_expand *expand; /* gray only, if its range changes */
    spool_unpack *unpack; /* converts the samples of a separate plane, if necessary */
    spool_split *split;   /* separates interleaved chroma */
    spool_planes_plan plan;
    spool_sink *next;
    int32_t sample;           /* bytes of a sample that is resized */
    int32_t count;            /* of planes: 3 for Y, U and V, or 1 for Y */
    spool_engine *engine[3];  /* of each plane, with one channel */
    const uint8_t *result[3]; /* of each plane: the output of its engine, `width` samples a row */
    int32_t width;
    int32_t rows[3]; /* received rows of each plane */
    int32_t done;    /* pushed rows */
} spool_resampler;

/* An engine that is to be opened: of one plane, which takes the whole plane, or of the rows behind. */
typedef struct {
    spool_plan plan;
    spool_axis_taps across, down;
    uint8_t *memory, *dst;
    size_t bytes; /* of memory */
} spool_plane_engine;

/*
 * Lays out a resampler in memory of its size, in front of next, and its engines with the kernels of the level `passes`.
 * u and v are ignored if the plan is gray. Returns 0 if the memory of an engine is too small.
 */
int spool_resampler_open(spool_resampler *r, const spool_planes_plan *plan, int level, int passes, spool_sink *next,
                         spool_plane_engine y, spool_plane_engine u, spool_plane_engine v);

/* The same with an engine for rows behind it, which it opens and returns; NULL if memory is too small. */
spool_engine *spool_resampler_open_before(spool_resampler *r, const spool_planes_plan *plan, int level, int passes,
                                          spool_plane_engine rows, spool_plane_engine y, spool_plane_engine u,
                                          spool_plane_engine v);

/* Begins another image, also in the engine next, whose output goes to dst. */
void spool_resampler_begin(spool_resampler *r, spool_engine *next, uint8_t *dst);

#endif
