/* The C functions that Go calls. Each runs libjpeg-turbo from beginning to end and keeps no state. */
#ifndef SPOOL_JPEG_H
#define SPOOL_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "sink.h"

/* Return values, besides SPOOL_CANCELLED. */
enum {
    SPOOL_JPEG_OK,
    SPOOL_JPEG_FAILED,    /* an error of the library: report.code and report.text */
    SPOOL_JPEG_TRUNCATED, /* the data ended too early: report.fraction */
    SPOOL_JPEG_SCANS,     /* more than max_scans */
    SPOOL_JPEG_SHAPE,     /* the image does not fit the sink or the destination */
    SPOOL_JPEG_SINK,      /* the sink failed */
    SPOOL_JPEG_STUCK,     /* the library makes no progress */
};

enum { SPOOL_JPEG_RGB, SPOOL_JPEG_BGR, SPOOL_JPEG_GRAY, SPOOL_JPEG_INKS };

enum { SPOOL_JPEG_TEXT = 200 }; /* libjpeg's JMSG_LENGTH_MAX */

typedef struct {
    int32_t width, height;
    int32_t components;
    int32_t space; /* J_COLOR_SPACE of the file */
    int32_t progressive;
    int32_t sub_x, sub_y; /* luma samples for each chroma sample; 1 for gray, 0 for other layouts */
} spool_jpeg_header;

typedef struct {
    int32_t color;
    int32_t width, height; /* size of the sink's image; ignored without a sink */
    int32_t first, last;   /* rows for dst; last 0: up to the height */
    int32_t max_scans;
    int64_t max_memory; /* for coefficients of a whole image; 0: no limit */
    double accept;      /* smallest accepted fraction at a premature end; 0: none is accepted */
} spool_jpeg_options;

typedef struct {
    int32_t width, height;
    int32_t rows; /* delivered, from the first requested row */
    int32_t truncated;
    int32_t scan; /* in which the premature end was found */
    double fraction;
    size_t trailing;    /* bytes after the image, where they matter */
    int32_t incomplete; /* the scans do not give all bits of all coefficients, where that matters */
    int64_t warnings;
    char warning[SPOOL_JPEG_TEXT]; /* the first warning */
    int32_t code;                  /* of the error: J_MESSAGE_CODE */
    char text[SPOOL_JPEG_TEXT];
} spool_jpeg_report;

int spool_jpeg_read_header(const uint8_t *data, size_t size, spool_jpeg_header *header, spool_jpeg_report *report);

/* Decodes to the sink, or if that is NULL to dst, which has dst_size bytes and rows stride bytes apart. */
int spool_jpeg_decode(const uint8_t *data, size_t size, const spool_jpeg_options *options, spool_sink *sink,
                      uint8_t *dst, size_t dst_size, size_t stride, const int32_t *flag, spool_jpeg_report *report);

#endif
