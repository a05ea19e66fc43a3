/* JPEG files with the same coefficients, coded anew. repack.c */
#ifndef SPOOL_JPEG_REPACK_H
#define SPOOL_JPEG_REPACK_H

#include "jpeg.h"

typedef struct {
    int32_t restart_rows; /* a restart marker after so many rows of blocks; 0: none */
    int32_t max_scans;
    int64_t max_memory; /* for the coefficients; 0: no limit */
} spool_jpeg_repacking;

/*
 * Huffman tables are those of the image itself. Bytes after the image, report->trailing, are left out.
 * If report->incomplete, decoders smooth the pixels of the old file only.
 * The caller frees the file, also on error.
 */
int spool_jpeg_repack(const uint8_t *data, size_t size, const spool_jpeg_repacking *o, const int32_t *flag,
                      uint8_t **file, size_t *file_size, spool_jpeg_report *report);

#endif
