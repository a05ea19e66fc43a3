#ifndef SPOOL_AV_SEQUENCE_H
#define SPOOL_AV_SEQUENCE_H

#include <libavcodec/avcodec.h>

/* Whether the sequence parameter sets of H.264 that come with a stream's parameters say that there are frames alone, no
 * fields. */
int spool_av_frames_only(const AVCodecParameters *p);

#endif
