/* Encoders: pixels and samples in memory to packets. encoder.c */
#ifndef SPOOL_AV_ENCODER_H
#define SPOOL_AV_ENCODER_H

#include <stddef.h>
#include <stdint.h>

/* The source and the encoded stream. Names are FFmpeg's; NULL means its default. */
typedef struct {
    const char *codec; /* of an encoder, or of a codec */
    int32_t threads;
    int32_t global;     /* 1: the container needs the stream's headers out of band */
    const char *given;  /* pixel or sample format of the source */
    const char *stored; /* that of the stream */
    int32_t width, height;
    int32_t rate_num, rate_den; /* frame rate, or rate_num is the sample rate */
    int32_t base_num, base_den; /* time base */
    int32_t channels;           /* 0: video */
} spool_av_encoding;

typedef struct spool_av_encoder spool_av_encoder;

/* Opens an encoder. options is an AVDictionary ** for the encoder; unknown options are left in it. */
int spool_av_encoder_open(const spool_av_encoding *e, void *options, spool_av_encoder **encoder);
void spool_av_encoder_close(spool_av_encoder *encoder);

/* The encoder's name, and the format and parameters of its stream. */
const char *spool_av_encoder_name(const spool_av_encoder *encoder);
const char *spool_av_encoder_format(const spool_av_encoder *encoder);
int spool_av_encoder_parameters(const spool_av_encoder *encoder, void *parameters);

/* Encodes an image: planes one after another, rows without gaps. pts must increase. */
int spool_av_encoder_image(spool_av_encoder *encoder, const uint8_t *pixels, int64_t pts);

/* Adds n samples of each channel, interleaved, or as planes that are `stride` bytes apart. */
int spool_av_encoder_samples(spool_av_encoder *encoder, const uint8_t *samples, ptrdiff_t stride, int32_t n);

/* Encodes one frame of added samples. Returns 1, or 0 if there are too few. With end, any number is enough. */
int spool_av_encoder_step(spool_av_encoder *encoder, int end);

/* Ends the input. */
int spool_av_encoder_drain(spool_av_encoder *encoder);

/* Returns 1 with the next packet, or 0 if none is available. */
int spool_av_encoder_receive(spool_av_encoder *encoder, void *packet);

/* Lists the encoders for a container, or for any if format is NULL. Hardware and experimental encoders are excluded. */
size_t spool_av_encoders(int video, const char *format, const char **names, size_t room);

/* Lists the sample rates of an encoder as text. It is empty if the encoder accepts all. */
void spool_av_encoder_rates(const char *codec, char *text, size_t room);

#endif
