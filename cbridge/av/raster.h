#ifndef SPOOL_AV_RASTER_H
#define SPOOL_AV_RASTER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the planes of a frame one after the other, without gaps: luma, then U and V, or, as pairs, one plane of U and
 * V in turn. Samples of more than 8 bits are words of the machine's order: their low bits, in pairs their high ones, as
 * in yuv420p10 and P010. Nothing but luma of gray. SPOOL_AV_SHAPE where that is not bytes long, or the frame has no
 * planes.
 */
int spool_av_frame_planes(const void *frame, int pairs, uint8_t *to, size_t bytes);

#endif
