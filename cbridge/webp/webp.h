/* The C functions that Go calls. They run libwebp and keep no state, except for an animation until it is closed. */
#ifndef SPOOL_WEBP_H
#define SPOOL_WEBP_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "planes.h"
#include "sink.h"

/* Return codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_WEBP_OK,
    SPOOL_WEBP_FAILED, /* the library's status: report.code */
    SPOOL_WEBP_ENDED,  /* the image is incomplete: the data, or its own chunk, end early */
    SPOOL_WEBP_SHAPE,  /* the image does not match the sink */
    SPOOL_WEBP_SINK,   /* the sink failed */
    SPOOL_WEBP_MEMORY, /* out of memory */
};

/* A chunk's payload: offset and size in the file. */
typedef struct {
    size_t at, size;
} spool_webp_chunk;

typedef struct {
    int32_t width, height; /* of the canvas */
    int32_t alpha, animated, lossless;
    int32_t frames, loops;
    int64_t chunks;    /* that were visited */
    int32_t truncated; /* the declared file size exceeds the data */
    spool_webp_chunk icc, exif;
} spool_webp_header;

typedef struct {
    int32_t width, height;       /* the image that the sink was made for */
    int32_t channels;            /* of the rows: 3 RGB, 4 RGBA; ignored with planes */
    int32_t lossless, truncated; /* from the header */
} spool_webp_options;

typedef struct {
    int32_t rows; /* delivered, counted from the first wanted one */
    int32_t read; /* decoded rows of the image, from the top */
    int32_t code; /* VP8StatusCode */
} spool_webp_report;

int spool_webp_read_header(const uint8_t *data, size_t size, spool_webp_header *header, spool_webp_report *report);

/* Decodes a still image to the row sink or, if it is lossy, to the planes sink; the other is NULL. */
int spool_webp_decode(const uint8_t *data, size_t size, const spool_webp_options *options, spool_sink *sink,
                      spool_planes *planes, const int32_t *flag, spool_webp_report *report);

/* An animation, whose frames are composed in order. */
typedef struct spool_webp_animation spool_webp_animation;

/* Returns NULL if the file is damaged or memory is missing. The data must stay valid until the animation is closed. */
spool_webp_animation *spool_webp_animation_open(const uint8_t *data, size_t size);

/* Composes the next frame and pushes the RGBA canvas to the sink, unless it is NULL. */
int spool_webp_animation_next(spool_webp_animation *animation, const spool_webp_options *options, spool_sink *sink,
                              const int32_t *flag, spool_webp_report *report);
void spool_webp_animation_close(spool_webp_animation *animation);

#endif
