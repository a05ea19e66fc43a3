/* The C function that Go calls: it runs libopenjp2 over a codestream and keeps no state. */
#ifndef SPOOL_JP2_H
#define SPOOL_JP2_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

enum { SPOOL_JP2_COMPONENTS = 4, SPOOL_JP2_COLORS = 256, SPOOL_JP2_TEXT = 160 };

/* Return codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_JP2_OK = 0,
    SPOOL_JP2_FAILED = -1,  /* the library refused the codestream */
    SPOOL_JP2_CHANGED = -2, /* the codestream differs from the options */
    SPOOL_JP2_MISSING = -3, /* a tile that is wanted is missing */
    SPOOL_JP2_SINK = -4,
    SPOOL_JP2_MEMORY = -5,
};

/* Color models of the components, in the order of color.go. A component after the colors is alpha. */
enum { SPOOL_JP2_GRAY, SPOOL_JP2_RGB, SPOOL_JP2_YCC, SPOOL_JP2_CMYK, SPOOL_JP2_PALETTE };

typedef struct {
    int32_t bits, is_signed;
    int32_t dx, dy; /* subsampling factors */
} spool_jp2_component;

typedef struct {
    /* The image as stored in the codestream. */
    int32_t left, top, right, bottom; /* its rectangle on the reference grid */
    int32_t count;
    spool_jp2_component components[SPOOL_JP2_COMPONENTS];
    int32_t color;
    int32_t opacity;  /* index of the alpha component, or -1 */
    int32_t truncate; /* 1: 8-bit output drops the low bits of deeper samples; 0: it rounds them */
    uint8_t palette[SPOOL_JP2_COLORS][4];

    /* The layout of pushed rows. */
    int32_t channels; /* 1, 3 or 4 */
    int32_t wide;     /* 1: uint16 */
    int32_t inks;     /* 1: the four CMYK channels as stored */

    int32_t tiles;       /* in the image */
    int32_t gaps;        /* 1: some tiles have no data */
    int32_t undivided;   /* 1: tiles are decoded in one piece, and never as areas */
    int32_t margin;      /* pixels that an area needs on the right and below */
    int64_t tile_pixels; /* of the largest tile, clipped to the image */
} spool_jp2_options;

typedef struct {
    int32_t rows; /* pushed */
    char text[SPOOL_JP2_TEXT];
} spool_jp2_report;

/* Decodes a codestream and pushes the rows that the sink wants. The flag is polled between bands or tiles. */
int spool_jp2_decode(const uint8_t *data, size_t size, const spool_jp2_options *options, spool_sink *sink,
                     const int32_t *flag, spool_jp2_report *report);

#endif
