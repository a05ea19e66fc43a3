/* Decoding of GIF pixels: LZW data to palette indices, indices to colors, frames to a canvas. */
#ifndef SPOOL_GIF_H
#define SPOOL_GIF_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

/* Result codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_GIF_OK,
    SPOOL_GIF_TRUNCATED, /* the data or their codes end before the pixels */
    SPOOL_GIF_CORRUPT,   /* an invalid code */
    SPOOL_GIF_SINK,      /* the sink failed */
};

/* A frame as stored. */
typedef struct {
    int32_t x, y, width, height; /* on the canvas; width and height are positive */
    int32_t interlaced;
    int32_t bits;           /* the minimum code size, 0..8 */
    int32_t skipped;        /* index of pixels that are not painted, -1 for none */
    uint8_t colors[256][4]; /* RGBA by index */
} spool_gif_frame;

typedef struct {
    int32_t width, height;
    uint8_t fill[4]; /* of pixels outside the only frame */
    uint8_t *pixels; /* RGBA, rows without gaps; NULL: the only frame goes to the sink directly */
} spool_gif_canvas;

/* Format of the pushed rows. */
typedef struct {
    int32_t channels; /* 3, or 4 with alpha */
    int32_t opaque;   /* alpha is 255 everywhere */
} spool_gif_form;

/*
 * Decodes a frame, paints it on the canvas and pushes the canvas' rows. data are the frame's sub-blocks. Without a sink
 * it only paints. indices has room for capacity pixels of the frame, which may be fewer than the frame has if data is
 * too short to fill them all. *count is the number of decoded pixels. The rows that they complete are painted and
 * pushed even if pixels are missing.
 */
int spool_gif_decode(const uint8_t *data, size_t size, const spool_gif_frame *frame, const spool_gif_canvas *canvas,
                     const spool_gif_form *form, spool_sink *sink, uint8_t *indices, size_t capacity,
                     const int32_t *flag, size_t *count);

/* Fills a rectangle of the canvas with a color. It must be within the canvas. */
void spool_gif_fill(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    const uint8_t *color);

/* Copies a rectangle of the canvas to memory of 4 x width x height bytes, or back if back is nonzero. */
void spool_gif_copy(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    uint8_t *memory, int back);

/* The LZW decoder: unpacks up to n indices from a code stream in sub-blocks. */
int spool_gif_unpack(const uint8_t *data, size_t size, int bits, uint8_t *indices, size_t n, const int32_t *flag,
                     size_t *count);

#endif
