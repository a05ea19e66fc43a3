/* A picture under way. */
#ifndef SPOOL_BASELINE_DECODER_H
#define SPOOL_BASELINE_DECODER_H

#include "blocks.h"
#include "color.h"
#include "progressive.h"
#include "scaled.h"
#include "shared.h"

enum {
    BATCH_BLOCKS = 96, /* decoded before they are transformed: they stay in the first-level cache */
};

struct spool_baseline_decoder {
    spool_baseline_tables *shared;
    uint8_t *window; /* WINDOW_BYTES */
    int16_t *blocks; /* BATCH_BLOCKS of them */
    int level;       /* of kernels */
    const spool_baseline_color *color;

    jpeg_header header;
    coded_data coded;
    mcu_plan plan;
    int batch;    /* MCUs of a batch */
    int row;      /* of MCUs, the next one */
    int interval; /* MCUs left before a restart marker; never 0 between MCUs where there is one to come */
    int restarts; /* markers passed */
    int16_t *component_blocks[SPOOL_BASELINE_COMPONENTS]; /* those of a batch: v lines of them */
    int side[SPOOL_BASELINE_COMPONENTS];                  /* samples that a block becomes */
    spool_baseline_idct *transform[SPOOL_BASELINE_COMPONENTS];
    uint16_t quant[SPOOL_BASELINE_COMPONENTS][BLOCK] __attribute__((aligned(16)));
    own_tables own;
    progressive_picture progressive;
};

/* Where the samples of a row of MCUs go: a component's first one, and the bytes from row to row. */
typedef struct {
    uint8_t *out[SPOOL_BASELINE_COMPONENTS];
    ptrdiff_t stride[SPOOL_BASELINE_COMPONENTS];
} row_planes;

/* Reads the header and prepares for the first row of MCUs. */
int spool_baseline_open(spool_baseline_decoder *decoder, const uint8_t *data, size_t size);

/* Has blocks become luma x luma or chroma x chroma samples, 8, 4, 2 or 1 a side: 8 where this is not called. */
void spool_baseline_scale(spool_baseline_decoder *decoder, int luma, int chroma);

/* Decodes the next row of MCUs, of which [left, right) are transformed, in the first `planes` components. */
int spool_baseline_decode_row(spool_baseline_decoder *decoder, int left, int right, int planes, const row_planes *to);

/* Checks that the picture ends behind the last row. */
int spool_baseline_close(spool_baseline_decoder *decoder);

#endif
