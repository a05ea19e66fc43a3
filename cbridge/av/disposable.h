#ifndef SPOOL_AV_DISPOSABLE_H
#define SPOOL_AV_DISPOSABLE_H

#include <libavcodec/avcodec.h>

/*
 * Whether no picture of its temporal layer or a lower one refers to that of a packet, by the packet's own headers. 0:
 * one may, or they do not say so, or contradict themselves. H.264, HEVC, MPEG-1, -2 and -4; 0 of others.
 */
int spool_av_disposable(const AVCodecParameters *p, const AVPacket *packet);

/* The temporal layer of a packet's picture: of HEVC; 0 of others. */
int spool_av_layer(const AVCodecParameters *p, const AVPacket *packet);

#endif
