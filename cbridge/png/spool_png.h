/* The C functions that Go calls. They keep no reference to their arguments. */
#ifndef SPOOL_PNG_H
#define SPOOL_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

/* Return codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_PNG_OK,
    SPOOL_PNG_NOT_PNG,
    SPOOL_PNG_TRUNCATED,
    SPOOL_PNG_CORRUPT,
    SPOOL_PNG_UNSUPPORTED,
    SPOOL_PNG_TOO_LARGE, /* more than max_memory: report.memory */
    SPOOL_PNG_NO_FRAME,  /* no frame is left in the animation */
    SPOOL_PNG_NO_MEMORY,
    SPOOL_PNG_SHAPE, /* the image does not match the sink or the destination */
    SPOOL_PNG_SINK,  /* the sink failed */
};

/* Color types of the format. */
enum { SPOOL_PNG_GRAY, SPOOL_PNG_RGB = 2, SPOOL_PNG_PALETTE, SPOOL_PNG_GRAY_ALPHA, SPOOL_PNG_RGBA = 6 };

/* The code that decoded the rows. */
enum { SPOOL_PNG_OWN, SPOOL_PNG_LIBPNG };

enum { SPOOL_PNG_TEXT = 120 };

typedef struct {
    int32_t width, height;
    int32_t color, depth, interlaced;
    int32_t transparent;   /* a valid tRNS chunk */
    uint32_t frames;       /* 0: no animation */
    int32_t default_image; /* the first frame does not belong to the animation */
    /* Offsets and lengths of the contents of chunks; length 0: there is none. */
    size_t exif, exif_length;
    size_t profile, profile_length; /* compressed */
} spool_png_header;

typedef struct {
    int32_t channels, bits;
    int32_t width, height; /* the image that the sink was made for; ignored without a sink */
    int32_t first, last;   /* rows for dst; last 0: to the bottom */
    int64_t max_memory;
    int64_t max_inflated; /* larger images are not inflated in one piece */
    double accept;        /* least fraction with which a damaged image is accepted; 0: none */
} spool_png_options;

typedef struct {
    int32_t width, height;
    int32_t rows; /* delivered, counted from the first wanted one */
    int32_t engine;
    int32_t damaged;
    double fraction;
    int64_t memory; /* needed, if that is too much */
    int64_t warnings;
    char warning[SPOOL_PNG_TEXT]; /* the first one */
    char text[SPOOL_PNG_TEXT];    /* of the error or the damage */
} spool_png_report;

int spool_png_read_header(const uint8_t *data, size_t size, spool_png_header *header, spool_png_report *report);

/* Decodes to the sink or, if it is NULL, to dst: dst_size bytes, with rows stride bytes apart. */
int spool_png_decode(const uint8_t *data, size_t size, const spool_png_options *options, spool_sink *sink, uint8_t *dst,
                     size_t dst_size, size_t stride, const int32_t *flag, spool_png_report *report);

/*
 * Inflates a profile into dst. *length is its size, or dst_size + 1 if it is larger. Returns OK, CORRUPT or NO_MEMORY.
 */
int spool_png_inflate_profile(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size, size_t *length);

/* An animation between two frames: `bytes` of memory, including the canvas. It has no pointer to the file. */
typedef struct spool_png_animation spool_png_animation;

size_t spool_png_animation_bytes(const spool_png_header *header);
void spool_png_animation_init(spool_png_animation *animation, const spool_png_header *header);

/* Composes the next frame and delivers it like spool_png_decode; with neither sink nor dst it only composes. */
int spool_png_animation_next(spool_png_animation *animation, const uint8_t *data, size_t size,
                             const spool_png_options *options, spool_sink *sink, uint8_t *dst, size_t dst_size,
                             size_t stride, const int32_t *flag, spool_png_report *report);

#endif
