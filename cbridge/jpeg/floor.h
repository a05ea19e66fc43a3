#ifndef SPOOL_JPEG_FLOOR_H
#define SPOOL_JPEG_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* libjpeg-turbo's entropy decoding: all coefficients, into its own memory. */
int spool_jpeg_floor_coefficients(const uint8_t *data, size_t size);

/* libjpeg-turbo's raw planes, one behind the other, each of whole blocks of 8 x 8 and without gaps. */
int spool_jpeg_floor_planes(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size);

#endif
