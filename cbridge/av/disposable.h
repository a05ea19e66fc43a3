#ifndef SPOOL_AV_DISPOSABLE_H
#define SPOOL_AV_DISPOSABLE_H

#include <libavcodec/avcodec.h>

/*
 * Reports whether no frame of its temporal layer or a lower one refers to that of a packet, according to the packet's
 * headers. Returns 0 if one may, or if the headers do not say or contradict each other. It supports H.264, HEVC,
 * MPEG-1, -2 and -4, and returns 0 for others.
 */
int spool_av_disposable(const AVCodecParameters *p, const AVPacket *packet);

/* Returns the temporal layer of an HEVC packet's frame, and 0 for other codecs. */
int spool_av_layer(const AVCodecParameters *p, const AVPacket *packet);

#endif
