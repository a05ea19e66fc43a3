/*
 * Libraries of pictures with nothing around them. Functions return 0, but for those that say something else; dst takes
 * rows without gaps.
 */
#ifndef SPOOL_FLOOR_H
#define SPOOL_FLOOR_H

#include <stddef.h>
#include <stdint.h>

int spool_floor_jpeg(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* Entropy decoding: all coefficients, into the library's own memory. */
int spool_floor_jpeg_coefficients(const uint8_t *data, size_t size);

/* Without upsampling and conversion: planes, thrown away; or one behind the other in dst, each of whole blocks of 8
 * x 8. */
int spool_floor_jpeg_planar(const uint8_t *data, size_t size);
int spool_floor_jpeg_planes(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

int spool_floor_png(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* The size of the file that libpng makes of an RGB picture, or 0. */
size_t spool_floor_png_encode(const uint8_t *rgb, int32_t width, int32_t height, int fast);

/* What the chunks of pixels hold: rows behind the bytes that name their filters, in memory to be freed. */
typedef struct {
    uint8_t *memory;
    size_t size;  /* of it */
    size_t first; /* where the first row lies; the row above it is zero */
    size_t stride;
    int32_t height;
    int32_t distance; /* bytes of a pixel, at least 1 */
} spool_floor_rows;

/* Gathers and inflates them by libdeflate, no CRC checked; slack bytes are kept free on both sides. */
int spool_floor_png_inflate(const uint8_t *data, size_t size, size_t slack, spool_floor_rows *rows);

/* The first frame alone. */
int spool_floor_gif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

int spool_floor_avif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);
int spool_floor_avif_planar(const uint8_t *data, size_t size);

/* Planes, thrown away. */
int spool_floor_jp2(const uint8_t *data, size_t size);

int spool_floor_webp(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);
int spool_floor_webp_yuv(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* WebPAnimDecoder: canvases of RGBA, one behind the other. */
int spool_floor_webp_frames(const uint8_t *data, size_t size, int frames, uint8_t *dst, size_t dst_size);

#endif
