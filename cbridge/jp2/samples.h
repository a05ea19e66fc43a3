/* Conversion of components to pixels by Pillow's rules. */
#ifndef SPOOL_JP2_SAMPLES_H
#define SPOOL_JP2_SAMPLES_H

#include "jp2.h"

/* The decoded samples of a component. */
typedef struct {
    const void *samples;
    int32_t bytes;                    /* of a sample: 1, 2 or 4 */
    int32_t left, top, right, bottom; /* the component's columns and rows; not empty */
} spool_jp2_plane;

/* Writes the pixels [x, x + n) of row y. The image begins with row and column 0. */
void spool_jp2_convert(const spool_jp2_options *o, const spool_jp2_plane *planes, int32_t x, int32_t y, int32_t n,
                       uint8_t *out);

/* The bytes of a pushed pixel. */
static inline size_t spool_jp2_pixel(const spool_jp2_options *o)
{
    return (size_t)o->channels * (o->wide ? 2 : 1);
}

static inline int32_t spool_jp2_ceildiv(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a + b - 1) / b);
}

#endif
