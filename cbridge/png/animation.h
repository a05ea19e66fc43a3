/* The canvas of an animation, onto which its frames are drawn. */
#ifndef SPOOL_PNG_ANIMATION_H
#define SPOOL_PNG_ANIMATION_H

#include "frame.h"

/* What happens to a frame's area before the next frame. */
enum { SPOOL_PNG_KEEP, SPOOL_PNG_CLEAR, SPOOL_PNG_RESTORE };

/* A frame's rectangle and operations: the contents of an fcTL chunk. */
typedef struct {
    uint32_t x, y, width, height;
    uint8_t dispose;
    uint8_t over; /* blended over the canvas, instead of replacing it */
} spool_png_control;

struct spool_png_animation {
    uint32_t next;           /* frame */
    uint32_t sequence;       /* number of the next fcTL or fdAT chunk */
    size_t at;               /* offset of the chunk after the last frame */
    spool_png_control last;  /* of the last composed frame */
    size_t row_bytes, bytes; /* of the canvas */
    uint8_t zero[4];         /* the pixel of a cleared canvas */
    int32_t width, height;
    int32_t channels;              /* 1, 3, or 4 with alpha */
    _Alignas(16) uint8_t pixels[]; /* the canvas, and the state to restore after the last frame */
};

/* Applies the last frame's dispose operation. */
void spool_png_dispose(spool_png_animation *animation);

/* A sink for a frame's rows, with the channels of the canvas. */
typedef struct {
    spool_sink sink; /* first member, so that a pointer to it is a pointer to the struct */
    spool_png_animation *animation;
    const spool_png_control *control;
    int32_t row;    /* of the frame: the next one */
    uint8_t *above; /* a row to blend; NULL without blending */
} spool_png_canvas;

spool_sink *spool_png_canvas_init(spool_png_canvas *canvas, spool_png_animation *animation,
                                  const spool_png_control *control, uint8_t *above);

#endif
