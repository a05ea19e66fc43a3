/* Audio: audio.c. Contexts and errors are as in av.h. */
#ifndef SPOOL_AV_AUDIO_H
#define SPOOL_AV_AUDIO_H

#include <stdint.h>

#include <libavutil/channel_layout.h>

/* Returns the pointers to a frame's samples: one per channel, or a single one for interleaved channels. */
int spool_av_audio_planes(const void *frame, void **planes, int32_t room);

/*
 * Returns swresample's weights for a conversion from a layout (NULL: the default of `in` channels) to the default
 * layout of `out` channels: `out` rows of `in` weights. normalized: rows are scaled so that no sum exceeds full scale.
 */
int spool_av_audio_matrix(const char *layout, int32_t in, int32_t out, int normalized, double *matrix);

/* Returns the default layout of a number of channels, without an order if there is none. It owns no memory. */
AVChannelLayout spool_av_usual_layout(int channels);

/* Writes the name of the channels in a mask. */
int spool_av_audio_layout(uint64_t mask, char *name, int size);

#endif
