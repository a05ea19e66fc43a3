/* Entropy decoding: coded data to blocks of coefficients. */
#ifndef SPOOL_BASELINE_BLOCKS_H
#define SPOOL_BASELINE_BLOCKS_H

#include "coded.h"

/* A block of each MCU: which tables it is coded with, and where its coefficients go. */
typedef struct {
    const dc_table *dc;
    const ac_table *ac;
    const skip_table *skip; /* where it is skipped, but for its first coefficient or as a whole */
    int32_t component;
    int32_t first_only; /* no other coefficient is looked at */
    int32_t step;       /* coefficients from one MCU's to the next one's */
    int16_t *blocks;    /* of MCU 0, at an address that is a multiple of 16 */
} mcu_block;

typedef struct {
    int32_t blocks;
    mcu_block block[MCU_BLOCKS];
    int32_t some_first_only;
    int32_t predicted[SPOOL_BASELINE_COMPONENTS]; /* the last DC coefficient of each component */
} mcu_plan;

/*
 * Decodes MCUs [first, last) of a batch, whose blocks hold zeros, or anything where only the first coefficient is
 * looked at. Writes within these blocks only, whatever the data are. Returns SPOOL_BASELINE_DONE or a reason.
 */
int spool_baseline_decode_mcus(coded_data *coded, mcu_plan *plan, int first, int last);

/* The same for n MCUs that nobody looks at: nothing is written but the DC coefficients that others are told from. */
int spool_baseline_skip_mcus(coded_data *coded, mcu_plan *plan, int n);

/* One symbol by a code of any length, or -1. The reader has MAX_CODE bits. */
int spool_baseline_decode_symbol(bit_reader *reader, const canonical_codes *codes);

#endif
