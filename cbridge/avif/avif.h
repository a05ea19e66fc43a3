/* The calls that Go makes. A decoder is libavif's own. It reads data in the caller's memory until it is closed. */
#ifndef SPOOL_AVIF_H
#define SPOOL_AVIF_H

#include <stddef.h>
#include <stdint.h>

#include <avif/avif.h>

#include "cancel.h"
#include "sink.h"

/* What a call returns, besides SPOOL_CANCELLED. */
enum {
    SPOOL_AVIF_OK,
    SPOOL_AVIF_FAILED, /* report.code and report.text */
    SPOOL_AVIF_SHAPE,  /* the AV1 data are not of the size, or not with the alpha, that the file says */
    SPOOL_AVIF_SINK,   /* the sink failed */
};

enum {
    SPOOL_AVIF_BAND = 64,  /* rows converted at a time */
    SPOOL_AVIF_MARGIN = 2, /* rows more on either side, which interpolation of chroma looks at */
    SPOOL_AVIF_TEXT = AVIF_DIAGNOSTICS_ERROR_BUFFER_SIZE,
};

typedef struct {
    int32_t width, height;
    int32_t bits;
    int32_t format; /* avifPixelFormat */
    int32_t alpha;
    int32_t frames;
    int32_t rotation, mirror;  /* irot: quarter turns against the clock; imir: -1 none, 0 top and bottom, 1 sides */
    double duration;           /* of a sequence, in seconds */
    const uint8_t *icc, *exif; /* the decoder's */
    size_t icc_size, exif_size;
} spool_avif_header;

typedef struct {
    int32_t width, height; /* what the sink was made for */
    int32_t alpha;         /* rows are RGBA, else RGB */
    int32_t wide;          /* 16 bits a sample */
    uint32_t max_pixels;   /* of what the AV1 data hold, which may differ from the container's promise */
} spool_avif_options;

typedef struct {
    int32_t code; /* avifResult */
    char text[SPOOL_AVIF_TEXT];
} spool_avif_report;

/* Reads what is around the pictures. *decoder is to be closed by avifDecoderDestroy unless it is NULL. */
int spool_avif_open(const uint8_t *data, size_t size, avifDecoder **decoder, spool_avif_header *header,
                    spool_avif_report *report);

/* Decodes a frame and pushes the rows that the sink wants; band has room for BAND + 2 x MARGIN of them. */
int spool_avif_decode(avifDecoder *decoder, int32_t frame, const spool_avif_options *options, spool_sink *sink,
                      uint8_t *band, const int32_t *flag, spool_avif_report *report);

#endif
