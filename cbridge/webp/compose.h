/* How the frames of an animation become canvases: as libwebp's WebPAnimDecoder does it. */
#ifndef SPOOL_WEBP_COMPOSE_H
#define SPOOL_WEBP_COMPOSE_H

#include <stdint.h>

typedef struct {
    int32_t x, y, width, height; /* on the canvas */
    int number;                  /* from 1 */
    int alpha;                   /* the frame has some */
    int blends;                  /* it is put on what is there; else it replaces that */
    int clears;                  /* its place is transparent for the next frame */
    int alone;                   /* no frame before it shows */
} spool_webp_frame;

/* Whether the frame shows nothing of those before it, of which `last` is the last one. */
int spool_webp_is_alone(const spool_webp_frame *frame, const spool_webp_frame *last, int32_t width, int32_t height);

/*
 * Puts a frame, whose pixels are on the canvas, on what was there before. Pixels are RGBA, rows of `width` pixels
 * without gaps. `last` is the frame before.
 */
void spool_webp_blend(uint8_t *canvas, const uint8_t *below, int32_t width, const spool_webp_frame *frame,
                      const spool_webp_frame *last);

#endif
