/*
 * Image libraries without other code. Functions return 0 on success, unless they are documented otherwise. dst receives
 * rows without gaps.
 */
#ifndef SPOOL_FLOOR_H
#define SPOOL_FLOOR_H

#include <stddef.h>
#include <stdint.h>

int spool_floor_jpeg(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* Entropy decoding: reads all coefficients into the library's memory. */
int spool_floor_jpeg_coefficients(const uint8_t *data, size_t size);

/*
 * Decode without upsampling and conversion. The planes are discarded, or written to dst one after another, each of
 * whole blocks of 8 x 8.
 */
int spool_floor_jpeg_planar(const uint8_t *data, size_t size);
int spool_floor_jpeg_planes(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

int spool_floor_png(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* Returns the size of libpng's file for an RGB image, or 0 on failure. */
size_t spool_floor_png_encode(const uint8_t *rgb, int32_t width, int32_t height, int fast);

/* Inflated rows, each after the byte with its filter type, in memory that the caller frees. */
typedef struct {
    uint8_t *memory;
    size_t size;  /* of memory */
    size_t first; /* offset of the first row; the row above it is zero */
    size_t stride;
    int32_t height;
    int32_t distance; /* bytes of a pixel, at least 1 */
} spool_floor_rows;

/*
 * Concatenates and inflates the IDAT chunks with libdeflate, without checking CRCs. `slack` bytes before and after the
 * rows are unused.
 */
int spool_floor_png_inflate(const uint8_t *data, size_t size, size_t slack, spool_floor_rows *rows);

/* Decodes only the first frame. */
int spool_floor_gif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

int spool_floor_avif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);
int spool_floor_avif_planar(const uint8_t *data, size_t size);

/* Decodes to planes and discards them. */
int spool_floor_jp2(const uint8_t *data, size_t size);

int spool_floor_webp(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);
int spool_floor_webp_yuv(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

/* Composes frames with WebPAnimDecoder. dst receives canvases of RGBA, one after another. */
int spool_floor_webp_frames(const uint8_t *data, size_t size, int frames, uint8_t *dst, size_t dst_size);

#endif
