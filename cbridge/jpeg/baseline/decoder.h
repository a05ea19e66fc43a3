/* The state of decoding an image. */
#ifndef SPOOL_BASELINE_DECODER_H
#define SPOOL_BASELINE_DECODER_H

#include "blocks.h"
#include "color.h"
#include "progressive.h"
#include "scaled.h"
#include "shared.h"

enum {
    BATCH_BLOCKS = 96, /* decoded before they are transformed, so that they stay in the first-level cache */
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
    int row;      /* the next MCU row */
    int interval; /* MCUs before the next restart marker; never 0 between MCUs if a marker follows */
    int restarts; /* restart markers read */
    int16_t *component_blocks[SPOOL_BASELINE_COMPONENTS]; /* blocks of a batch: v lines of them */
    int side[SPOOL_BASELINE_COMPONENTS];                  /* samples a side for each block */
    spool_baseline_idct *transform[SPOOL_BASELINE_COMPONENTS];
    uint16_t quant[SPOOL_BASELINE_COMPONENTS][BLOCK] __attribute__((aligned(16)));
    own_tables own;
    progressive_image progressive;
};

/* The destination of an MCU row's samples: the first sample of each component, and the bytes from row to row. */
typedef struct {
    uint8_t *out[SPOOL_BASELINE_COMPONENTS];
    ptrdiff_t stride[SPOOL_BASELINE_COMPONENTS];
} row_planes;

/* Reads the header, and prepares for the first MCU row. */
int spool_baseline_open(spool_baseline_decoder *decoder, const uint8_t *data, size_t size);

/* Scales blocks to luma x luma or chroma x chroma samples: 8, 4, 2 or 1 a side. Without this call, they are 8. */
void spool_baseline_scale(spool_baseline_decoder *decoder, int luma, int chroma);

/* Decodes the next MCU row, and transforms its MCUs [left, right) of the first `planes` components. */
int spool_baseline_decode_row(spool_baseline_decoder *decoder, int left, int right, int planes, const row_planes *to);

/* Checks that the image ends after the last row. */
int spool_baseline_close(spool_baseline_decoder *decoder);

#endif
