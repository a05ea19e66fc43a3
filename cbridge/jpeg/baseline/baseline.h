/* The C functions that Go calls. The caller owns all memory. Only a decoder's memory keeps state between calls. */
#ifndef SPOOL_BASELINE_H
#define SPOOL_BASELINE_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "reason.h"

enum { SPOOL_BASELINE_COMPONENTS = 3 };

/* A decoded plane: whole MCUs, of which the image covers the upper left. */
typedef struct {
    int32_t width, height; /* of the image, in samples */
    int32_t stride, rows;  /* including the padding of the last MCUs */
} spool_baseline_plane;

typedef struct {
    int32_t width, height;
    int32_t components;
    int32_t sub_x, sub_y; /* luma samples for each chroma sample; 1 for gray */
    int32_t restart;      /* MCUs between restart markers; 0: no markers */
    spool_baseline_plane plane[SPOOL_BASELINE_COMPONENTS];
} spool_baseline_layout;

/* Reads the layout of the image from everything before its scan. */
int spool_baseline_read_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout);

/* Tables shared by decoders, and the bytes of memory that they need: zeroed, and aligned to a cache line. */
typedef struct spool_baseline_tables spool_baseline_tables;
size_t spool_baseline_tables_bytes(void);

/* The state of one decoder, which one thread at a time uses, and its buffers. */
typedef struct spool_baseline_decoder spool_baseline_decoder;
size_t spool_baseline_decoder_bytes(void);
size_t spool_baseline_window_bytes(void);
size_t spool_baseline_blocks_bytes(void);
void spool_baseline_init(spool_baseline_decoder *decoder, spool_baseline_tables *tables, uint8_t *window,
                         int16_t *blocks, int level);

/*
 * Additional memory for a progressive image: a state and a window for each scan; and for an MCU row, 64 coefficients
 * and a word for each block. A decoder keeps this memory for the next image.
 */
typedef struct {
    int32_t scans;
    size_t blocks;
} spool_baseline_extent;
size_t spool_baseline_scan_bytes(void);
size_t spool_baseline_extent_bytes(spool_baseline_extent extent); /* in total */

/* The decoder's memory, and what the last image needs if the result was SPOOL_BASELINE_SCAN_MEMORY. */
spool_baseline_extent spool_baseline_has(const spool_baseline_decoder *decoder);
spool_baseline_extent spool_baseline_needs(const spool_baseline_decoder *decoder);
void spool_baseline_give_scan(spool_baseline_decoder *decoder, void *state, uint8_t *window);
void spool_baseline_give_row(spool_baseline_decoder *decoder, int16_t *coefficients, uint64_t *nonzero, size_t blocks);

/* The sets of kernels, by level. This machine runs the first spool_baseline_levels() of them. 0 is scalar. */
enum { SPOOL_BASELINE_SSE41 = 1, SPOOL_BASELINE_AVX2, SPOOL_BASELINE_AVX512VL, SPOOL_BASELINE_AVX512 }; /* x86 */
enum { SPOOL_BASELINE_NEON = 1 };                                                                       /* ARM */
int spool_baseline_levels(void);
int spool_baseline_best(void); /* the fastest level on this machine */
const char *spool_baseline_level_name(int level);

/*
 * Decodes to planes, one after the other, in the order of the layout. Returns SPOOL_BASELINE_DONE; a reason to decline;
 * SPOOL_BASELINE_SHAPE if size is too small; SPOOL_BASELINE_SCAN_MEMORY; or SPOOL_CANCELLED.
 */
int spool_baseline_planes(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, uint8_t *planes,
                          size_t planes_size, const int32_t *flag);

#endif
