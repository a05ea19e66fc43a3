/* Muxers: packets to a file, to memory, or to a stream of bytes. muxer.c */
#ifndef SPOOL_AV_MUXER_H
#define SPOOL_AV_MUXER_H

#include <stddef.h>
#include <stdint.h>

/* Open is one between spool_av_muxer_open and _close. All that FFmpeg writes ends early while *flag is set. */
typedef struct {
    void *context; /* AVFormatContext */
    const int32_t *flag;
    void *pending; /* AVIOContext: of a stream, the bytes that have not been taken */
    int32_t in_memory, begun;
} spool_av_muxer;

/* What a container is like. Names are FFmpeg's. */
typedef struct {
    const char *name, *video, *audio; /* of the format, and of the codecs that it takes by itself; NULL: takes none */
    int32_t global;                   /* 1: wants the streams' headers beside the packets */
} spool_av_container;

/* The container of a format's name, or of a file's name where that is NULL. A container of several files is none. */
int spool_av_container_of(const char *format, const char *file, spool_av_container *container);

/* Begins a file at a URL of the file protocol; where that is NULL, memory, or a stream, in which nothing can go back.
 */
int spool_av_muxer_open(spool_av_muxer *muxer, const char *format, const char *url, int streamed);
void spool_av_muxer_close(spool_av_muxer *muxer);

/* Adds a stream, AVCodecParameters with a time base; returns its number. Steady: each frame takes a tick. */
int spool_av_muxer_add(spool_av_muxer *muxer, const void *parameters, int base_num, int base_den, int steady);

/* Gives a stream what an input's has beside its codec's parameters: how it is turned, its language, its rate. */
int spool_av_muxer_like(spool_av_muxer *muxer, int stream, const void *input, int from);

/* Writes the header. Options as in spool_av_open. */
int spool_av_muxer_begin(spool_av_muxer *muxer, void *options);

/* Writes a packet, whose times are in a base, in its turn. What the packet was is released. */
int spool_av_muxer_write(spool_av_muxer *muxer, void *packet, int stream, int base_num, int base_den);

/* Gives the bytes of a stream that have been written since the last time, to be freed by spool_av_muxer_free. */
int spool_av_muxer_take(spool_av_muxer *muxer, uint8_t **data, size_t *size);

/* Writes what is left. Memory, or the stream's last bytes, are given, to be freed by spool_av_muxer_free. */
int spool_av_muxer_finish(spool_av_muxer *muxer, uint8_t **data, size_t *size);
void spool_av_muxer_free(uint8_t *data);

#endif
