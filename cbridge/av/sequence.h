#ifndef SPOOL_AV_SEQUENCE_H
#define SPOOL_AV_SEQUENCE_H

#include <libavcodec/avcodec.h>

/* Reports whether the H.264 sequence parameter sets in a stream's parameters allow only frames, no fields. */
int spool_av_frames_only(const AVCodecParameters *p);

#endif
