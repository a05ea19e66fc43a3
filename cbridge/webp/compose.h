/* Composes the frames of an animation to canvases, like libwebp's WebPAnimDecoder. */
#ifndef SPOOL_WEBP_COMPOSE_H
#define SPOOL_WEBP_COMPOSE_H

#include <stdint.h>

typedef struct {
    int32_t x, y, width, height; /* on the canvas */
    int number;                  /* from 1 */
    int alpha;                   /* the frame has alpha */
    int blends;                  /* blended over the canvas; else it replaces the canvas */
    int clears;                  /* its area is cleared to transparent before the next frame */
    int alone;                   /* no earlier frame is visible */
} spool_webp_frame;

/* Whether no earlier frame is visible in this frame; `last` is the previous frame. */
int spool_webp_is_alone(const spool_webp_frame *frame, const spool_webp_frame *last, int32_t width, int32_t height);

/*
 * Blends a frame, whose pixels are on the canvas, over the previous canvas `below`. Pixels are RGBA, in rows of `width`
 * pixels without gaps. `last` is the previous frame.
 */
void spool_webp_blend(uint8_t *canvas, const uint8_t *below, int32_t width, const spool_webp_frame *frame,
                      const spool_webp_frame *last);

#endif
