#ifndef SPOOL_AV_UNIT_H
#define SPOOL_AV_UNIT_H

#include <libavcodec/avcodec.h>

/* A NAL unit of H.264 or HEVC, or the bytes between start codes of other codecs (ISO/IEC 11172-2, 13818-2, 14496-2). */
typedef struct {
    const uint8_t *at, *end;
} spool_av_bytes;

/* Returns the bytes of the length before each unit, as in H.264 and HEVC in MP4, or 0 if units follow start codes. */
int spool_av_length_bytes(const AVCodecParameters *p);

/*
 * Returns the next unit of a packet, and advances the packet. After a start code, the unit extends to the packet's end,
 * unless spool_av_end_unit finds its end: that is rarely needed. Returns 0 if there is no unit, or if its length is too
 * large.
 */
int spool_av_next_unit(spool_av_bytes *packet, int length_bytes, spool_av_bytes *unit);

/* Shortens a unit after a start code to the next start code. */
void spool_av_end_unit(spool_av_bytes *unit);

#endif
