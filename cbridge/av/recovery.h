#ifndef SPOOL_AV_RECOVERY_H
#define SPOOL_AV_RECOVERY_H

#include <libavcodec/avcodec.h>

/*
 * Reports whether frames are complete only some time after a key packet, because H.264 refreshes them gradually (a
 * recovery point with a count). FFmpeg marks such a packet as a key packet. Its first bytes suffice, up to the slices.
 */
int spool_av_recovers_later(const AVCodecParameters *p, const uint8_t *packet, size_t size);

#endif
