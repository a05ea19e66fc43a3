#ifndef SPOOL_AV_UNIT_H
#define SPOOL_AV_UNIT_H

#include <libavcodec/avcodec.h>

/* NAL units of H.264 and HEVC, and what lies between start codes in general (ISO/IEC 11172-2, 13818-2, 14496-2). */
typedef struct {
    const uint8_t *at, *end;
} spool_av_bytes;

/* Bytes of the length before each unit, 0 where start codes stand before them: of H.264 and HEVC as MP4 has them. */
int spool_av_length_bytes(const AVCodecParameters *p);

/*
 * The next unit of a packet, which is shortened by what lies before the next. After a start code it goes on to the
 * packet's end, unless its own is looked for: few have to be read that far. 0: there is none, or it does not fit.
 */
int spool_av_next_unit(spool_av_bytes *packet, int length_bytes, spool_av_bytes *unit);

/* Ends a unit after a start code before the next one. */
void spool_av_end_unit(spool_av_bytes *unit);

#endif
