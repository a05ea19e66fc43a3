#ifndef SPOOL_AV_RECOVERY_H
#define SPOOL_AV_RECOVERY_H

#include <libavcodec/avcodec.h>

/*
 * Whether a key packet only begins to make pictures whole, because it is refreshed bit by bit (H.264's recovery point
 * with a count): FFmpeg calls it a key packet all the same.
 */
int spool_av_recovers_later(const AVCodecParameters *p, const AVPacket *packet);

#endif
