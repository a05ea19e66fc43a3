#ifndef SPOOL_AV_RASTER_H
#define SPOOL_AV_RASTER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the planes of a frame one after another, without gaps: luma, then U and V, or with pairs one plane of
 * alternating U and V. Samples of more than 8 bits are words in the machine's order. They use the low bits, as
 * yuv420p10, or with pairs the high bits, as P010. A gray frame has only luma. Returns SPOOL_AV_SHAPE if the size is
 * not `bytes`, or if the frame has no planes.
 */
int spool_av_frame_planes(const void *frame, int pairs, uint8_t *to, size_t bytes);

#endif
