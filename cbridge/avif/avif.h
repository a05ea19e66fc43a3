/* The functions called by Go. A decoder is libavif's, and reads data in the caller's memory until it is closed. */
#ifndef SPOOL_AVIF_H
#define SPOOL_AVIF_H

#include <stddef.h>
#include <stdint.h>

#include <avif/avif.h>

#include "cancel.h"
#include "sink.h"

/* Result codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_AVIF_OK,
    SPOOL_AVIF_FAILED, /* see report.code and report.text */
    SPOOL_AVIF_SHAPE,  /* the size or alpha of the AV1 image differs from the container's */
    SPOOL_AVIF_SINK,   /* the sink failed */
};

enum {
    SPOOL_AVIF_BAND = 64,  /* rows converted at a time */
    SPOOL_AVIF_MARGIN = 2, /* additional rows on each side, for the interpolation of chroma */
    SPOOL_AVIF_TEXT = AVIF_DIAGNOSTICS_ERROR_BUFFER_SIZE,
};

typedef struct {
    int32_t width, height;
    int32_t bits;
    int32_t format; /* avifPixelFormat */
    int32_t alpha;
    int32_t frames;
    int32_t rotation, mirror;  /* irot: quarter turns counterclockwise; imir: -1 none, 0 top/bottom, 1 left/right */
    double duration;           /* of a sequence, in seconds */
    const uint8_t *icc, *exif; /* owned by the decoder */
    size_t icc_size, exif_size;
} spool_avif_header;

typedef struct {
    int32_t width, height; /* the size that the sink was made for */
    int32_t alpha;         /* rows are RGBA, otherwise RGB */
    int32_t wide;          /* 16 bits a sample */
    uint32_t max_pixels;   /* of the AV1 image, whose size may differ from the container's */
} spool_avif_options;

typedef struct {
    int32_t code; /* avifResult */
    char text[SPOOL_AVIF_TEXT];
} spool_avif_report;

/* Reads the container. The caller closes *decoder with avifDecoderDestroy unless it is NULL. */
int spool_avif_open(const uint8_t *data, size_t size, avifDecoder **decoder, spool_avif_header *header,
                    spool_avif_report *report);

/* Decodes a frame and pushes the rows that the sink needs. band has room for BAND + 2 x MARGIN rows. */
int spool_avif_decode(avifDecoder *decoder, int32_t frame, const spool_avif_options *options, spool_sink *sink,
                      uint8_t *band, const int32_t *flag, spool_avif_report *report);

#endif
