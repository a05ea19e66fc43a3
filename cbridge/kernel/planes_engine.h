/*
 * What lies behind a planes sink. There are two: one upsamples chroma and pushes rows of the picture's
 * own size (planes.c), the other resizes every plane at its own resolution (planes_resized.c). All of
 * their memory, the struct included, lies in one block that the caller gives.
 */
#ifndef SPOOL_PLANES_ENGINE_H
#define SPOOL_PLANES_ENGINE_H

#include "engine.h"
#include "planes.h"
#include "planes_kernels.h"

/* The sink's push, for Go. */
static inline int spool_planes_push(spool_planes *planes, const spool_band *band)
{
    return planes->push(planes, band);
}

/* What a planes sink is made for: planes.go says what the fields mean, and checks them. */
typedef struct {
    int32_t width, height;
    int32_t h, v; /* how many samples of luma share one of chroma */
    int32_t rule;
    int32_t gray; /* luma alone */

    /* Of SPOOL_RULE_VIDEO: */
    spool_color color;
    int32_t words;   /* samples lie in 16 bits */
    int32_t shift;   /* from there to those that are resized: right to 8 bits, or left where they stay 16 */
    int32_t deep;    /* they stay 16, and so have rows */
    int32_t pairs;   /* chroma is one plane; */
    int32_t swapped; /* its pairs begin with V */
    int32_t expand;  /* of gray: luma has another range than rows */
} spool_planes_plan;

typedef struct {
    spool_planes planes; /* first, so that a pointer to it is a pointer to this */
    const spool_planes_kernels *kernels;
    spool_convert *convert;
    spool_planes_plan plan;
    spool_sink *next;
    int32_t left, right; /* the columns that are worked on */
    int32_t row;         /* the next one of luma */
    uint8_t *luma;       /* the last row of a band, which waits for the chroma below it, */
    uint8_t *chroma[2];  /* and the chroma row it lies in */
    uint8_t *wide[2];    /* a row of chroma at the width of luma */
} spool_upsampler;

/* Bytes of memory that an upsampler takes; and lays one out in it, in front of next. */
size_t spool_upsampler_bytes(const spool_planes_plan *plan);
spool_upsampler *spool_upsampler_init(void *memory, const spool_planes_plan *plan, int level, spool_sink *next);

typedef struct {
    spool_planes planes; /* first, so that a pointer to it is a pointer to this */
    spool_convert *convert;
    spool_expand *expand; /* of gray, where its range changes */
    spool_unpack *unpack; /* of a plane of its own, where samples have to be */
    spool_split *split;   /* of two planes in pairs */
    spool_planes_plan plan;
    spool_sink *next;
    int32_t sample;           /* bytes of one that is resized */
    int32_t count;            /* of planes: Y, U, V or Y alone, */
    spool_engine *engine[3];  /* each with an engine of one channel */
    const uint8_t *result[3]; /* and the plane that it writes, `width` samples a row */
    int32_t width;
    int32_t rows[3]; /* of each plane that were seen */
    int32_t done;    /* rows pushed */
} spool_resampler;

/* Lays a resampler out in memory of its size. The engines have been made, for the whole planes. */
void spool_resampler_init(spool_resampler *r, const spool_planes_plan *plan, int level, spool_engine *const engine[3]);

/* Begins a picture, in front of next. */
void spool_resampler_begin(spool_resampler *r, spool_sink *next);

#endif
