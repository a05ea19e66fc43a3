/* Bitstream filters: packets to packets. bitstream.c */
#ifndef SPOOL_AV_BITSTREAM_H
#define SPOOL_AV_BITSTREAM_H

#include "av.h"

/*
 * Opens a chain of filters, in FFmpeg's language, for a stream with AVCodecParameters and a time base. The context is
 * an AVBSFContext.
 */
int spool_av_bitstream_open(const char *filters, const void *parameters, int base_num, int base_den, void **context);
void spool_av_bitstream_close(void *context);

/* Returns the stream's parameters after the filters. */
void spool_av_bitstream_parameters(const void *context, spool_av_parameters *p);

/* Passes a packet to the filters, and releases it. NULL ends the input. */
int spool_av_bitstream_send(void *context, void *packet);

/* Returns 1 with the next packet, or 0 if another packet is needed, or at the end. */
int spool_av_bitstream_receive(void *context, void *packet);

#endif
