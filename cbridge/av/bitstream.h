/* Bitstream filters: packets to packets. bitstream.c */
#ifndef SPOOL_AV_BITSTREAM_H
#define SPOOL_AV_BITSTREAM_H

#include "av.h"

/* Opens a chain of filters, in FFmpeg's language, for a stream with AVCodecParameters and a time base. The context is
 * an AVBSFContext. */
int spool_av_bitstream_open(const char *filters, const void *parameters, int base_num, int base_den, void **context);
void spool_av_bitstream_close(void *context);

/* What the stream is behind the filters. */
void spool_av_bitstream_parameters(const void *context, spool_av_parameters *p);

/* Gives the filters a packet, which is released; NULL: there are no more. */
int spool_av_bitstream_send(void *context, void *packet);

/* The next packet: 1, or 0 when another has to be sent, or none is left. */
int spool_av_bitstream_receive(void *context, void *packet);

#endif
