#ifndef SPOOL_VIPS_LOAD_H
#define SPOOL_VIPS_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

/*
 * Pictures in memory through libvips, on the calling thread. No function keeps a pointer after it has
 * returned. libvips has no error codes, and its texts are for people: they are copied out in the same
 * call and never looked at.
 */

/* The formats, in the order of format.go. */
enum {
    SPOOL_VIPS_TIFF,
    SPOOL_VIPS_HEIF,
    SPOOL_VIPS_JXL,
    SPOOL_VIPS_SVG,
    SPOOL_VIPS_EXR,
    SPOOL_VIPS_HDR,
    SPOOL_VIPS_PDF,
    SPOOL_VIPS_MAGICK,
    SPOOL_VIPS_FORMATS
};

/* What a function returns; SPOOL_CANCELLED as well. */
enum {
    SPOOL_VIPS_OK = 0,
    SPOOL_VIPS_FAILED = -1,      /* the loader refused the bytes */
    SPOOL_VIPS_UNSUPPORTED = -2, /* pixels of a kind that has no gray or RGB form of 8 or 16 bits */
    SPOOL_VIPS_CHANGED = -3,     /* not the size or the channels that were asked for */
    SPOOL_VIPS_SINK_FAILED = -4,
    SPOOL_VIPS_NO_MEMORY = -5
};

/* The kinds of colour, in the order of header.go. */
enum { SPOOL_VIPS_OTHER, SPOOL_VIPS_GRAY, SPOOL_VIPS_RGB, SPOOL_VIPS_CMYK };

/* What a picture is, before any pixel is decoded. */
typedef struct {
    int32_t width, height; /* of one page */
    int32_t color;         /* OTHER: decode refuses it */
    int32_t alpha;         /* 1: with opacity */
    int32_t bits;          /* of a sample */
    int32_t pages;         /* pages, frames or top-level images in the file */
    int32_t orientation;   /* EXIF, 1..8; 1 when there is none */
    void *profile;         /* the embedded ICC profile, malloced for the caller; NULL when there is none */
    size_t profile_size;
} spool_vips_header;

/* Which picture of a file. */
typedef struct {
    int32_t format;
    int32_t page;   /* of TIFF, HEIF, PDF and the like */
    int32_t subifd; /* a directory of TIFF below the page's; -1: the page itself */
} spool_vips_source;

/* What is asked of decode. */
typedef struct {
    spool_vips_source source;
    int32_t width, height; /* the picture's; another size is refused */
    int32_t channels;      /* of the rows delivered: 1, 3 or 4 */
    int32_t inks;          /* 1: the channels are those of CMYK, as stored */
    int32_t premultiplied; /* 1: samples are divided by the opacity, once they have 8 bits */
    int32_t bits;          /* of their samples: 8, or 16 in the machine's byte order */
    int64_t stride;        /* of pixels, in bytes; not used with a sink */
} spool_vips_request;

/* What a call has to say besides its code. */
typedef struct {
    int32_t rows;     /* delivered */
    int32_t warnings; /* complaints that did not stop the loader */
    char text[256];   /* of a failure: one line, or empty when libvips gave none */
} spool_vips_note;

/* Starts libvips for the process; not 0 when it cannot. To be called once. */
int spool_vips_start(void);

/* Whether this libvips reads the format. */
int spool_vips_reads(int format);

/* Reads what a picture is. */
int spool_vips_read_header(const void *data, size_t size, const spool_vips_source *source, spool_vips_header *header,
                           spool_vips_note *note);

/*
 * Decodes a picture and delivers its rows, to the sink or, when that is NULL, to pixels; colours are not
 * managed. The flag is polled between strips of rows.
 */
int spool_vips_decode(const void *data, size_t size, const spool_vips_request *request, spool_sink *sink,
                      uint8_t *pixels, const volatile int32_t *cancel, spool_vips_note *note);

#endif
