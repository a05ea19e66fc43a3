/*
 * A libjpeg decompressor that reads from memory, records messages instead of printing them, and ends on errors by
 * longjmp.
 */
#ifndef SPOOL_JPEG_READER_H
#define SPOOL_JPEG_READER_H

#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

#include "jpeg.h"

enum { SPOOL_JPEG_EOI = 0xD9 }; /* the end-of-image marker */

typedef struct {
    struct jpeg_decompress_struct jpeg; /* first: the callbacks convert its address to the reader */
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    const volatile int32_t *flag;
    spool_jpeg_report *report;
    double accept;
    int max_scans;
    JDIMENSION last; /* rows from here on are not requested, or not available */
    int in_header, out_of_data;
    jmp_buf escape;
    int status; /* the reason why it ended */
} spool_jpeg_reader;

/* Ends the reader: control returns to where `escape` was set. */
void spool_jpeg_fail(spool_jpeg_reader *reader, int status) __attribute__((noreturn));

/*
 * Prepares the reader. `escape` must be set before, since creating the decompressor may fail.
 * jpeg_destroy_decompress(&reader->jpeg) must follow on every path, and is safe after a failed open.
 */
void spool_jpeg_open(spool_jpeg_reader *reader, const uint8_t *data, size_t size);

/* To be called when all scans should have been read. Detects a premature end that was not reported yet. */
void spool_jpeg_check_end(spool_jpeg_reader *reader);

#endif
