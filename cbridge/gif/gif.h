/* The pixels of GIF pictures: LZW data to palette indices, indices to colours, frames onto a canvas. */
#ifndef SPOOL_GIF_H
#define SPOOL_GIF_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

/* What a call returns, besides SPOOL_CANCELLED. */
enum {
    SPOOL_GIF_OK,
    SPOOL_GIF_TRUNCATED, /* the data, or their codes, end before the pixels do */
    SPOOL_GIF_CORRUPT,   /* a code that cannot be */
    SPOOL_GIF_SINK,      /* the sink failed */
};

/* A frame as it is stored. */
typedef struct {
    int32_t x, y, width, height; /* of the canvas; width and height are positive */
    int32_t interlaced;
    int32_t bits;           /* the minimum code size, 0..8 */
    int32_t skipped;        /* the index that leaves the canvas as it is, -1 for none */
    uint8_t colors[256][4]; /* RGBA by index */
} spool_gif_frame;

typedef struct {
    int32_t width, height;
    uint8_t fill[4]; /* of what no frame covers */
    uint8_t *pixels; /* RGBA, rows without gaps; NULL: the only frame goes to the sink directly */
} spool_gif_canvas;

/* How rows go to the sink. */
typedef struct {
    int32_t channels; /* 3, or 4 with alpha */
    int32_t opaque;   /* alpha is 255 everywhere */
} spool_gif_form;

/*
 * Decodes a frame whose sub-blocks begin at data, paints it on the canvas and pushes the canvas' rows.
 * Without a sink it paints only. indices is memory for capacity of the frame's pixels; where data are
 * too short to fill them all it may be smaller. *count is the number of pixels that came; the rows that
 * they complete are painted and pushed also when that is not all.
 */
int spool_gif_decode(const uint8_t *data, size_t size, const spool_gif_frame *frame, const spool_gif_canvas *canvas,
                     const spool_gif_form *form, spool_sink *sink, uint8_t *indices, size_t capacity,
                     const int32_t *flag, size_t *count);

/* Gives a part of the canvas one colour. Coordinates lie within. */
void spool_gif_fill(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    const uint8_t *color);

/* Copies a part of the canvas to memory of 4 x width x height bytes, or back from there. */
void spool_gif_copy(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    uint8_t *memory, int back);

/* The LZW decoder: up to n indices of a code stream in sub-blocks. */
int spool_gif_unpack(const uint8_t *data, size_t size, int bits, uint8_t *indices, size_t n, const int32_t *flag,
                     size_t *count);

#endif
