/* The data before the scan, and whether they are in scope. */
#ifndef SPOOL_BASELINE_MARKERS_H
#define SPOOL_BASELINE_MARKERS_H

#include "baseline.h"

enum {
    BLOCK = 64,      /* coefficients */
    SIDE = 8,        /* samples */
    MCU_BLOCKS = 10, /* the format's limit for an interleaved scan */
    TABLES = 4,      /* of each kind */
};

enum { MARKER_SOI = 0xD8, MARKER_EOI = 0xD9, MARKER_SOS = 0xDA, MARKER_RST0 = 0xD0 };

/* A marker and the bytes after its length. */
typedef struct {
    int marker;
    const uint8_t *bytes;
    size_t size;
} jpeg_segment;

typedef struct {
    int32_t id;
    int32_t h, v;          /* sampling factors */
    int32_t quant, dc, ac; /* numbers of tables */
    spool_baseline_plane plane;
} jpeg_component;

/* A Huffman table in the format of the file: 16 counts, by length of code, and the symbols. */
typedef struct {
    const uint8_t *bytes; /* NULL: not defined */
    size_t size;
} jpeg_codes;

typedef struct {
    int32_t width, height;
    int32_t components;
    jpeg_component component[SPOOL_BASELINE_COMPONENTS];
    int32_t max_h, max_v;
    int32_t group; /* MCU rows that libjpeg reads at once */
    int32_t mcu_columns, mcu_rows;
    int32_t restart; /* MCUs between restart markers, or 0 */
    jpeg_codes dc[TABLES], ac[TABLES];
    uint16_t quant[TABLES][BLOCK]; /* in natural order */
    int has_quant[TABLES];
    int jfif, adobe, transform;
    int progressive;
    const uint8_t *scan, *end; /* coded data, or if progressive the first scan's marker; up to the end of the file */
} jpeg_header;

/*
 * Reads up to the scan. Returns SPOOL_BASELINE_DONE or a reason. If it is done, everything in header is valid, and all
 * tables that the components reference exist and are valid.
 */
int spool_baseline_read_header(const uint8_t *data, size_t size, jpeg_header *header);

/* Reads the marker at *next, and advances *next past it. MARKER_EOI has no bytes. */
int spool_baseline_read_segment(const uint8_t **next, const uint8_t *end, jpeg_segment *segment);

/* Reads a segment between two scans: tables of codes, and the restart interval. */
int spool_baseline_read_between(jpeg_header *header, const jpeg_segment *segment);

/* Reports whether a DC table's symbols are sizes of differences, as libjpeg requires. */
int spool_baseline_is_dc(const jpeg_codes *codes);

/* Reports whether libjpeg-turbo reads the three components as YCbCr without a warning. */
int spool_baseline_is_ycc(const jpeg_header *header);

#endif
