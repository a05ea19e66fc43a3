/* Muxers: packets to a file, to memory, or to a stream of bytes. muxer.c */
#ifndef SPOOL_AV_MUXER_H
#define SPOOL_AV_MUXER_H

#include <stddef.h>
#include <stdint.h>

/* Open between spool_av_muxer_open and spool_av_muxer_close. FFmpeg's writes stop early while *flag is set. */
typedef struct {
    void *context; /* AVFormatContext */
    const int32_t *flag;
    void *pending; /* AVIOContext: bytes of a stream that have not been taken */
    int32_t in_memory, begun;
} spool_av_muxer;

/* A file format. Names are FFmpeg's. */
typedef struct {
    const char *name, *video, *audio; /* name of the format, and default codecs; NULL: none */
    int32_t global;                   /* 1: needs the streams' headers out of band */
} spool_av_container;

/*
 * Returns the container of a format's name, or of a file's name if format is NULL. Containers of several files are
 * rejected.
 */
int spool_av_container_of(const char *format, const char *file, spool_av_container *container);

/* Starts a file at a URL of the file protocol. If url is NULL, starts memory, or a stream, which cannot seek back. */
int spool_av_muxer_open(spool_av_muxer *muxer, const char *format, const char *url, int streamed);
void spool_av_muxer_close(spool_av_muxer *muxer);

/* Adds a stream of AVCodecParameters with a time base. Returns its index. steady: each frame lasts one tick. */
int spool_av_muxer_add(spool_av_muxer *muxer, const void *parameters, int base_num, int base_den, int steady);

/* How a stream of video is shown. */
typedef struct {
    double rotation;            /* counterclockwise degrees */
    int32_t mirrored;           /* vertically, before the rotation */
    int32_t rate_num, rate_den; /* average frames a second; 0 by 1: unknown */
} spool_av_display;

/* Sets how a stream of video is shown. */
int spool_av_muxer_show(spool_av_muxer *muxer, int stream, const spool_av_display *display);

/* Copies from an input's stream what codec parameters lack: rotation, language, frame rate. */
int spool_av_muxer_like(spool_av_muxer *muxer, int stream, const void *input, int from);

/* Writes the header. options is as in spool_av_open. */
int spool_av_muxer_begin(spool_av_muxer *muxer, void *options);

/* Writes a packet, interleaved with others. base is the time base of its times. The packet is empty afterwards. */
int spool_av_muxer_write(spool_av_muxer *muxer, void *packet, int stream, int base_num, int base_den);

/* Returns the bytes written to a stream since the last call. The caller frees them with spool_av_muxer_free. */
int spool_av_muxer_take(spool_av_muxer *muxer, uint8_t **data, size_t *size);

/*
 * Writes the rest. Returns the whole memory, or the last bytes of a stream. The caller frees them with
 * spool_av_muxer_free.
 */
int spool_av_muxer_finish(spool_av_muxer *muxer, uint8_t **data, size_t *size);
void spool_av_muxer_free(uint8_t *data);

#endif
