/* The calls that Go makes. Each runs libwebp and keeps nothing, but for the animation, which is closed. */
#ifndef SPOOL_WEBP_H
#define SPOOL_WEBP_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "planes.h"
#include "sink.h"

/* What a call returns, besides SPOOL_CANCELLED. */
enum {
    SPOOL_WEBP_OK,
    SPOOL_WEBP_FAILED, /* the library's status: report.code */
    SPOOL_WEBP_ENDED,  /* the picture goes on where the data, or its own chunk, end */
    SPOOL_WEBP_SHAPE,  /* the picture is not what the sink was made for */
    SPOOL_WEBP_SINK,   /* the sink failed */
    SPOOL_WEBP_MEMORY, /* there is none */
};

/* A chunk's payload, as a part of the file. */
typedef struct {
    size_t at, size;
} spool_webp_chunk;

typedef struct {
    int32_t width, height; /* of the canvas */
    int32_t alpha, animated, lossless;
    int32_t frames, loops;
    int64_t chunks; /* that were walked over */
    int32_t cut;    /* the file says that it is longer than the data */
    spool_webp_chunk icc, exif;
} spool_webp_header;

typedef struct {
    int32_t width, height; /* what the sink was made for */
    int32_t channels;      /* of the rows: 3 RGB, 4 RGBA; not looked at where planes are wanted */
    int32_t lossless, cut; /* as the header has them */
} spool_webp_options;

typedef struct {
    int32_t rows; /* delivered, from the first one wanted */
    int32_t read; /* rows of the picture that were decoded, from the top */
    int32_t code; /* VP8StatusCode */
} spool_webp_report;

int spool_webp_read_header(const uint8_t *data, size_t size, spool_webp_header *header, spool_webp_report *report);

/* Decodes a still picture to the row sink, or, if it is lossy, to the planes sink; the other is NULL. */
int spool_webp_decode(const uint8_t *data, size_t size, const spool_webp_options *options, spool_sink *sink,
                      spool_planes *planes, const int32_t *flag, spool_webp_report *report);

/* An animation, whose frames are composed one after the other. */
typedef struct spool_webp_animation spool_webp_animation;

/* NULL when the file is damaged or memory is missing. The data are kept until the animation is closed. */
spool_webp_animation *spool_webp_animation_open(const uint8_t *data, size_t size);

/* Composes the next frame and pushes the canvas, RGBA, to the sink unless that is NULL. */
int spool_webp_animation_next(spool_webp_animation *animation, const spool_webp_options *options, spool_sink *sink,
                              const int32_t *flag, spool_webp_report *report);
void spool_webp_animation_close(spool_webp_animation *animation);

#endif
