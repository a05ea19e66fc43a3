/* Encoders: from pixels and samples as they lie in memory to packets. encoder.c */
#ifndef SPOOL_AV_ENCODER_H
#define SPOOL_AV_ENCODER_H

#include <stddef.h>
#include <stdint.h>

/* What is encoded, and into what. Names are FFmpeg's; NULL is its own choice. */
typedef struct {
    const char *codec; /* of an encoder, or of a codec */
    int32_t threads;
    int32_t global;     /* 1: the container wants the stream's headers beside the packets */
    const char *given;  /* pixel or sample format of what is given */
    const char *stored; /* that of the stream */
    int32_t width, height;
    int32_t rate_num, rate_den; /* of frames, or rate_num samples a second */
    int32_t base_num, base_den; /* of times */
    int32_t channels;           /* 0: video */
} spool_av_encoding;

typedef struct spool_av_encoder spool_av_encoder;

/* Options, an AVDictionary **, are the encoder's; those that it does not know are left in it. */
int spool_av_encoder_open(const spool_av_encoding *e, void *options, spool_av_encoder **encoder);
void spool_av_encoder_close(spool_av_encoder *encoder);

/* The encoder's name, and what its stream is. */
const char *spool_av_encoder_name(const spool_av_encoder *encoder);
const char *spool_av_encoder_format(const spool_av_encoder *encoder);
int spool_av_encoder_parameters(const spool_av_encoder *encoder, void *parameters);

/* Encodes a picture, whose rows lie without gaps; of planes one comes after the other. Times rise. */
int spool_av_encoder_picture(spool_av_encoder *encoder, const uint8_t *pixels, int64_t pts);

/* Takes n samples of each channel, which are interleaved, or in planes so many bytes apart. */
int spool_av_encoder_samples(spool_av_encoder *encoder, const uint8_t *samples, ptrdiff_t stride, int32_t n);

/* Encodes samples that were taken, as many as the codec has in a frame: 1, or 0 when there are too few. At the end all
 * are enough. */
int spool_av_encoder_step(spool_av_encoder *encoder, int end);

/* Says that there are no more. */
int spool_av_encoder_drain(spool_av_encoder *encoder);

/* The next packet: 1, or 0 when there is none now. */
int spool_av_encoder_receive(spool_av_encoder *encoder, void *packet);

/* The names of the encoders that can be had for a container, or for all: of software, and none that are experiments. */
size_t spool_av_encoders(int video, const char *format, const char **names, size_t room);

/* Sample rates that an encoder takes, as text; empty where it takes all. */
void spool_av_encoder_rates(const char *codec, char *text, size_t room);

#endif
