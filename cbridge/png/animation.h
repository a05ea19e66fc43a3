/* The canvas of an animation, onto which its frames are put. */
#ifndef SPOOL_PNG_ANIMATION_H
#define SPOOL_PNG_ANIMATION_H

#include "frame.h"

/* What a frame leaves to the next one. */
enum { SPOOL_PNG_KEEP, SPOOL_PNG_CLEAR, SPOOL_PNG_RESTORE };

/* A frame's place and what is done with it: the contents of an fcTL chunk. */
typedef struct {
    uint32_t x, y, width, height;
    uint8_t dispose;
    uint8_t over; /* it is blended with what is there, and not put in its place */
} spool_png_control;

struct spool_png_animation {
    uint32_t next;           /* frame */
    uint32_t sequence;       /* number of the next fcTL or fdAT chunk */
    size_t at;               /* where in the file the chunk behind the last frame is */
    spool_png_control last;  /* of the frame composed last */
    size_t row_bytes, bytes; /* of the canvas */
    uint8_t zero[4];         /* the pixel that a cleared canvas has */
    int32_t width, height;
    int32_t channels;              /* 1, 3, or 4 where there is opacity */
    _Alignas(16) uint8_t pixels[]; /* the canvas, and what it was before the last frame where that comes back */
};

/* Undoes what the last frame is not to leave. */
void spool_png_dispose(spool_png_animation *animation);

/* A sink for a frame's rows, in the canvas' channels. */
typedef struct {
    spool_sink sink; /* first: the sink's functions get the whole from its address */
    spool_png_animation *animation;
    const spool_png_control *control;
    int32_t row;    /* of the frame, that comes next */
    uint8_t *above; /* a row to be blended; NULL where none is */
} spool_png_canvas;

spool_sink *spool_png_canvas_init(spool_png_canvas *canvas, spool_png_animation *animation,
                                  const spool_png_control *control, uint8_t *above);

#endif
