/* Entropy decoding: from coded data to blocks of coefficients. */
#ifndef SPOOL_BASELINE_BLOCKS_H
#define SPOOL_BASELINE_BLOCKS_H

#include "coded.h"

/* A block of each MCU: its tables, and the destination of its coefficients. */
typedef struct {
    const dc_table *dc;
    const ac_table *ac;
    const skip_table *skip; /* for blocks of which only the first coefficient, or nothing, is used */
    int32_t component;
    int32_t first_only; /* no other coefficient is used */
    int32_t step;       /* coefficients from one MCU's block to the next MCU's */
    int16_t *blocks;    /* of MCU 0, aligned to 16 */
} mcu_block;

typedef struct {
    int32_t blocks;
    mcu_block block[MCU_BLOCKS];
    int32_t some_first_only;
    int32_t predicted[SPOOL_BASELINE_COMPONENTS]; /* the last DC coefficient of each component */
} mcu_plan;

/*
 * Decodes MCUs [first, last) of a batch. Its blocks must hold zeros; if only the first coefficient is used, they may
 * hold anything. Writes only within these blocks, whatever the data. Returns SPOOL_BASELINE_DONE or a reason.
 */
int spool_baseline_decode_mcus(coded_data *coded, mcu_plan *plan, int first, int last);

/* Skips n MCUs. Writes only the DC coefficients from which later ones are predicted. */
int spool_baseline_skip_mcus(coded_data *coded, mcu_plan *plan, int n);

/* Decodes one symbol with a code of any length, or returns -1. The reader must have MAX_CODE bits. */
int spool_baseline_decode_symbol(bit_reader *reader, const canonical_codes *codes);

#endif
