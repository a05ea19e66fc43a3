/* What Go calls. All memory is the caller's; nothing is kept between calls but what a decoder's memory holds. */
#ifndef SPOOL_BASELINE_H
#define SPOOL_BASELINE_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "reason.h"

enum { SPOOL_BASELINE_COMPONENTS = 3 };

/* A plane as it is decoded: whole MCUs, of which the picture covers the upper left. */
typedef struct {
    int32_t width, height; /* of the picture's samples */
    int32_t stride, rows;  /* with what fills the last MCUs up */
} spool_baseline_plane;

typedef struct {
    int32_t width, height;
    int32_t components;
    int32_t sub_x, sub_y; /* samples of luma to one of chroma; 1 for gray */
    int32_t restart;      /* MCUs between restart markers, 0: there are none */
    spool_baseline_plane plane[SPOOL_BASELINE_COMPONENTS];
} spool_baseline_layout;

/* Tells what the picture is, from all that comes before its scan. */
int spool_baseline_read_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout);

/* Tables that decoders share: bytes of memory to give (zeroed, at an address of a cache line). */
typedef struct spool_baseline_tables spool_baseline_tables;
size_t spool_baseline_tables_bytes(void);

/* The state of one decoder, to be used by one thread at a time, and the buffers that it is given. */
typedef struct spool_baseline_decoder spool_baseline_decoder;
size_t spool_baseline_decoder_bytes(void);
size_t spool_baseline_window_bytes(void);
size_t spool_baseline_blocks_bytes(void);
void spool_baseline_init(spool_baseline_decoder *decoder, spool_baseline_tables *tables, uint8_t *window,
                         int16_t *blocks, int level);

/*
 * What a progressive picture takes beside these: memory for each of its scans, a state and a window, and for a row of
 * MCUs, 64 coefficients and a word for each block. A decoder that was given enough for one picture keeps it for
 * the next.
 */
typedef struct {
    int32_t scans;
    size_t blocks;
} spool_baseline_extent;
size_t spool_baseline_scan_bytes(void);
size_t spool_baseline_extent_bytes(spool_baseline_extent extent); /* all of it */

/* What the decoder has, and what the last picture needs where the answer was SPOOL_BASELINE_SCAN_MEMORY. */
spool_baseline_extent spool_baseline_has(const spool_baseline_decoder *decoder);
spool_baseline_extent spool_baseline_needs(const spool_baseline_decoder *decoder);
void spool_baseline_give_scan(spool_baseline_decoder *decoder, void *state, uint8_t *window);
void spool_baseline_give_row(spool_baseline_decoder *decoder, int16_t *coefficients, uint64_t *nonzero, size_t blocks);

/* The sets of kernels that this machine runs are the first of these. 0 is scalar. */
enum { SPOOL_BASELINE_SSE41 = 1, SPOOL_BASELINE_AVX2, SPOOL_BASELINE_AVX512 }; /* x86 */
enum { SPOOL_BASELINE_NEON = 1 };                                              /* ARM */
int spool_baseline_levels(void);
const char *spool_baseline_level_name(int level);

/*
 * Decodes to planes, one after the other as the layout has them. Returns SPOOL_BASELINE_DONE, a reason to step
 * aside, SPOOL_BASELINE_SHAPE when size is not enough, SPOOL_BASELINE_SCAN_MEMORY, or SPOOL_CANCELLED.
 */
int spool_baseline_planes(spool_baseline_decoder *decoder, const uint8_t *data, size_t size, uint8_t *planes,
                          size_t planes_size, const int32_t *flag);

#endif
