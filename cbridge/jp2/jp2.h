/* The call that Go makes: it runs libopenjp2 over a codestream, and keeps nothing. */
#ifndef SPOOL_JP2_H
#define SPOOL_JP2_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

enum { SPOOL_JP2_COMPONENTS = 4, SPOOL_JP2_COLORS = 256, SPOOL_JP2_TEXT = 160 };

/* What the call returns, besides SPOOL_CANCELLED. */
enum {
    SPOOL_JP2_OK = 0,
    SPOOL_JP2_FAILED = -1,  /* the library refused the codestream */
    SPOOL_JP2_CHANGED = -2, /* the codestream is not what the options say */
    SPOOL_JP2_MISSING = -3, /* a tile that is wanted is not there */
    SPOOL_JP2_SINK = -4,
    SPOOL_JP2_MEMORY = -5,
};

/* What the components are, in the order of header.go. A component behind the colour is opacity. */
enum { SPOOL_JP2_GRAY, SPOOL_JP2_RGB, SPOOL_JP2_YCC, SPOOL_JP2_CMYK, SPOOL_JP2_PALETTE };

typedef struct {
    int32_t bits, is_signed;
    int32_t dx, dy; /* the distance of samples */
} spool_jp2_component;

typedef struct {
    /* The picture as the codestream has it. */
    int32_t left, top, right, bottom; /* its place on the reference grid */
    int32_t count;
    spool_jp2_component components[SPOOL_JP2_COMPONENTS];
    int32_t color;
    int32_t opacity; /* the component, or -1 */
    int32_t cuts;    /* 1: samples of more than 8 bits lose the lower ones where 8 are wanted; 0: they are rounded */
    uint8_t palette[SPOOL_JP2_COLORS][4];

    /* The rows that are pushed. */
    int32_t channels; /* 1, 3 or 4 */
    int32_t wide;     /* 1: uint16 */
    int32_t inks;     /* 1: the four channels of CMYK as stored */

    int32_t tiles;       /* in the picture */
    int32_t gaps;        /* 1: some of them have no data */
    int32_t margin;      /* that an area needs on the right and below */
    int64_t tile_pixels; /* of the largest one, within the picture */
} spool_jp2_options;

typedef struct {
    int32_t rows; /* pushed */
    char text[SPOOL_JP2_TEXT];
} spool_jp2_report;

/* Decodes a codestream and pushes the rows that the sink wants. The flag is polled between bands or tiles. */
int spool_jp2_decode(const uint8_t *data, size_t size, const spool_jp2_options *options, spool_sink *sink,
                     const int32_t *flag, spool_jp2_report *report);

#endif
