#ifndef SPOOL_VIPS_LOAD_H
#define SPOOL_VIPS_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

/*
 * Decodes images in memory with libvips, on the calling thread. No function keeps a pointer after it has returned.
 * libvips has no error codes, and its messages are meant for people: they are copied in the same call and never
 * interpreted.
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

/* Return codes, besides SPOOL_CANCELLED. */
enum {
    SPOOL_VIPS_OK = 0,
    SPOOL_VIPS_FAILED = -1,      /* the loader refused the bytes */
    SPOOL_VIPS_UNSUPPORTED = -2, /* pixels without a gray or RGB form of 8 or 16 bits */
    SPOOL_VIPS_CHANGED = -3,     /* not the requested size or channels */
    SPOOL_VIPS_SINK_FAILED = -4,
    SPOOL_VIPS_NO_MEMORY = -5
};

/* The color models, in the order of header.go. */
enum { SPOOL_VIPS_OTHER, SPOOL_VIPS_GRAY, SPOOL_VIPS_RGB, SPOOL_VIPS_CMYK };

/* The properties of an image, before any pixel is decoded. */
typedef struct {
    int32_t width, height; /* of one page */
    int32_t color;         /* OTHER: decode refuses it */
    int32_t alpha;         /* 1: with alpha */
    int32_t bits;          /* of a sample */
    int32_t pages;         /* pages, frames or top-level images in the file */
    int32_t orientation;   /* EXIF, 1..8; 1 if there is none */
    void *profile;         /* the embedded ICC profile, malloced for the caller; NULL if there is none */
    size_t profile_size;
} spool_vips_header;

/* Selects an image of a file. */
typedef struct {
    int32_t format;
    int32_t page;   /* of TIFF, HEIF, PDF and the like */
    int32_t subifd; /* a directory of TIFF below the page's; -1: the page itself */
} spool_vips_source;

/* The parameters of decode. */
typedef struct {
    spool_vips_source source;
    int32_t width, height; /* the image's; another size is refused */
    int32_t channels;      /* of the delivered rows: 1, 3 or 4 */
    int32_t inks;          /* 1: the channels are CMYK as stored */
    int32_t premultiplied; /* 1: colors are divided by alpha after reduction to 8 bits */
    int32_t bits;          /* of the delivered samples: 8, or 16 in native byte order */
    int64_t stride;        /* of pixels, in bytes; ignored with a sink */
} spool_vips_request;

/* The result of a call besides its code. */
typedef struct {
    int32_t rows;     /* delivered */
    int32_t warnings; /* messages that did not stop the loader */
    char text[256];   /* of a failure: one line, or empty if libvips gave none */
} spool_vips_note;

/* Starts libvips for the process; must be called once. Returns 0 on success. */
int spool_vips_start(void);

/* Whether this libvips reads the format. */
int spool_vips_reads(int format);

/* Reads the properties of an image. */
int spool_vips_read_header(const void *data, size_t size, const spool_vips_source *source, spool_vips_header *header,
                           spool_vips_note *note);

/*
 * Decodes an image and delivers its rows to the sink or, if that is NULL, to pixels. Colors are not managed. The flag
 * is polled between strips of rows.
 */
int spool_vips_decode(const void *data, size_t size, const spool_vips_request *request, spool_sink *sink,
                      uint8_t *pixels, const volatile int32_t *cancel, spool_vips_note *note);

#endif
