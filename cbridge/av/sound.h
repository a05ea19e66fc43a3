/* Sound: sound.c. What stands in av.h of contexts and errors holds here as well. */
#ifndef SPOOL_AV_SOUND_H
#define SPOOL_AV_SOUND_H

#include <stdint.h>

#include <libavutil/channel_layout.h>

/* The pointers to a frame's samples: one for each channel, or a single one in which the channels are interleaved. */
int spool_av_sound_planes(const void *frame, void **planes, int32_t room);

/*
 * The weights that swresample gives the channels of a layout (NULL: the usual one of so many channels) in the usual
 * layout of `out` channels: `out` rows of `in`. Normalized: rows are scaled so that no sum exceeds full scale.
 */
int spool_av_sound_matrix(const char *layout, int32_t in, int32_t out, int normalized, double *matrix);

/* The usual layout of so many channels; without an order where there is none. It holds no memory. */
AVChannelLayout spool_av_usual_layout(int channels);

/* The name of the channels in a mask. */
int spool_av_sound_layout(uint64_t mask, char *name, int size);

#endif
