#include "compose.h"

#include <string.h>

enum { PIXEL = 4, ALPHA = 3 };

static int is_full(const spool_webp_frame *frame, int32_t width, int32_t height)
{
    return frame->width == width && frame->height == height;
}

int spool_webp_is_alone(const spool_webp_frame *frame, const spool_webp_frame *last, int32_t width, int32_t height)
{
    if (frame->number == 1)
        return 1;
    if ((!frame->alpha || !frame->blends) && is_full(frame, width, height))
        return 1;
    return last->clears && (is_full(last, width, height) || last->alone);
}

/* Weights colors by alpha, in libwebp's fixed-point arithmetic. */
static void blend_pixel(uint8_t *over, const uint8_t *below)
{
    const unsigned opacity = over[ALPHA];
    if (opacity == 255)
        return;
    if (opacity == 0) {
        memcpy(over, below, PIXEL);
        return;
    }
    const unsigned rest = below[ALPHA] * (256 - opacity) >> 8, sum = opacity + rest;
    const uint32_t scale = (1u << 24) / sum;
    for (int c = 0; c < ALPHA; c++)
        over[c] = (over[c] * opacity + below[c] * rest) * scale >> 24;
    over[ALPHA] = (uint8_t)sum;
}

static void blend_columns(uint8_t *over, const uint8_t *below, int32_t left, int32_t right)
{
    for (int32_t x = left; x < right; x++)
        blend_pixel(over + (size_t)x * PIXEL, below + (size_t)x * PIXEL);
}

void spool_webp_blend(uint8_t *canvas, const uint8_t *below, int32_t width, const spool_webp_frame *frame,
                      const spool_webp_frame *last)
{
    const int32_t right = frame->x + frame->width, hole = last->x + last->width;
    for (int32_t y = frame->y; y < frame->y + frame->height; y++) {
        uint8_t *row = canvas + (size_t)y * width * PIXEL;
        const uint8_t *under = below + (size_t)y * width * PIXEL;
        if (!last->clears || y < last->y || y >= last->y + last->height || frame->x >= hole || right <= last->x) {
            blend_columns(row, under, frame->x, right);
            continue;
        }
        blend_columns(row, under, frame->x, last->x); /* left of the cleared area */
        blend_columns(row, under, hole, right);
    }
}
