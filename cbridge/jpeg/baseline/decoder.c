#include "decoder.h"

size_t spool_baseline_decoder_bytes(void)
{
    return sizeof(spool_baseline_decoder);
}

size_t spool_baseline_window_bytes(void)
{
    return WINDOW_BYTES;
}

size_t spool_baseline_blocks_bytes(void)
{
    return BATCH_BLOCKS * BLOCK * sizeof(int16_t);
}

void spool_baseline_init(spool_baseline_decoder *decoder, spool_baseline_tables *tables, uint8_t *window,
                         int16_t *blocks, int level)
{
    decoder->shared = tables;
    decoder->window = window;
    decoder->blocks = blocks;
    decoder->level = level;
    decoder->color = spool_baseline_color_at(level);
    decoder->progressive = (progressive_image){.refine_band = spool_baseline_refine_band_at(level)};
}

/*
 * Lays out the blocks of a batch: v lines for each component, as in the image, so that the blocks of a line are
 * transformed at once.
 */
static void lay_blocks_out(spool_baseline_decoder *decoder)
{
    const jpeg_header *header = &decoder->header;
    mcu_plan *plan = &decoder->plan;
    int16_t *line = decoder->blocks;

    plan->blocks = 0;
    for (int i = 0; i < header->components; i++)
        plan->blocks += header->component[i].h * header->component[i].v;
    decoder->batch = BATCH_BLOCKS / plan->blocks;
    mcu_block *b = plan->block;
    for (int i = 0; i < header->components; i++) {
        const jpeg_component *c = &header->component[i];
        decoder->component_blocks[i] = line;
        for (int y = 0; y < c->v; y++, line += decoder->batch * c->h * BLOCK)
            for (int x = 0; x < c->h; x++)
                *b++ = (mcu_block){.component = i, .step = c->h * BLOCK, .blocks = line + x * BLOCK};
    }
}

static void find_tables(spool_baseline_decoder *decoder)
{
    const jpeg_header *header = &decoder->header;
    const dc_table *dc[SPOOL_BASELINE_COMPONENTS];
    const ac_table *ac[SPOOL_BASELINE_COMPONENTS];

    for (int i = 0; i < header->components; i++) {
        const jpeg_component *c = &header->component[i];
        dc[i] = spool_baseline_find_dc(decoder->shared, &header->dc[c->dc], &decoder->own.dc[c->dc]);
        ac[i] = spool_baseline_find_ac(decoder->shared, &header->ac[c->ac], &decoder->own.ac[c->ac]);
    }
    for (int i = 0; i < decoder->plan.blocks; i++) {
        mcu_block *b = &decoder->plan.block[i];
        b->dc = dc[b->component];
        b->ac = ac[b->component];
    }
}

/* Finds the tables for skipping. Most images need none of them. */
static void find_skip_tables(spool_baseline_decoder *decoder)
{
    const jpeg_header *header = &decoder->header;
    for (int i = 0; i < decoder->plan.blocks; i++) {
        mcu_block *b = &decoder->plan.block[i];
        const int ac = header->component[b->component].ac;
        b->skip = spool_baseline_find_skip(decoder->shared, &header->ac[ac], &decoder->own.skip[ac]);
    }
}

static void begin_interval(spool_baseline_decoder *decoder)
{
    memset(decoder->plan.predicted, 0, sizeof decoder->plan.predicted);
    decoder->interval = decoder->header.restart;
}

static int open_progressive(spool_baseline_decoder *decoder)
{
    const int reason = spool_baseline_open_scans(&decoder->progressive, &decoder->header);
    decoder->plan.blocks = 0;
    spool_baseline_scale(decoder, SIDE, SIDE);
    decoder->batch = decoder->header.mcu_columns;
    for (int i = 0; i < decoder->header.components; i++)
        decoder->component_blocks[i] = decoder->progressive.blocks[i].blocks;
    return reason;
}

int spool_baseline_open(spool_baseline_decoder *decoder, const uint8_t *data, size_t size)
{
    const jpeg_header *header = &decoder->header;
    const int reason = spool_baseline_read_header(data, size, &decoder->header);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    decoder->row = decoder->restarts = 0;
    for (int i = 0; i < header->components; i++)
        memcpy(decoder->quant[i], header->quant[header->component[i].quant], sizeof decoder->quant[i]);
    if (header->progressive)
        return open_progressive(decoder);
    lay_blocks_out(decoder);
    find_tables(decoder);
    spool_baseline_scale(decoder, SIDE, SIDE);
    decoder->coded.from = decoder->header.scan;
    decoder->coded.end = decoder->header.end;
    decoder->coded.window = decoder->window;
    spool_baseline_begin(&decoder->coded);
    begin_interval(decoder);
    return SPOOL_BASELINE_DONE;
}

void spool_baseline_scale(spool_baseline_decoder *decoder, int luma, int chroma)
{
    mcu_plan *plan = &decoder->plan;
    for (int i = 0; i < decoder->header.components; i++) {
        decoder->side[i] = i == 0 ? luma : chroma;
        decoder->transform[i] = spool_baseline_scaled_at(decoder->side[i], decoder->level);
    }
    plan->some_first_only = 0;
    for (int i = 0; i < plan->blocks; i++) {
        plan->block[i].first_only = decoder->side[plan->block[i].component] == 1;
        plan->some_first_only |= plan->block[i].first_only;
    }
    if (plan->some_first_only)
        find_skip_tables(decoder);
}

/* Skips the restart marker that must follow here. */
static int restart(spool_baseline_decoder *decoder)
{
    begin_interval(decoder);
    return spool_baseline_restart(&decoder->coded, decoder->restarts++);
}

/*
 * Reads n MCUs to the batch from its MCU `first` on, or with store 0 skips them. A restart marker is skipped if another
 * MCU follows it.
 */
static int read_mcus(spool_baseline_decoder *decoder, const int store, int first, int n)
{
    if (n > 0 && !store && decoder->plan.block[0].skip == NULL)
        find_skip_tables(decoder);
    while (n > 0) {
        int reason, run = n;
        if (decoder->header.restart > 0) {
            if (decoder->interval == 0 && (reason = restart(decoder)) != SPOOL_BASELINE_DONE)
                return reason;
            run = decoder->interval < n ? decoder->interval : n;
            decoder->interval -= run;
        }
        if (store)
            reason = spool_baseline_decode_mcus(&decoder->coded, &decoder->plan, first, first + run);
        else
            reason = spool_baseline_skip_mcus(&decoder->coded, &decoder->plan, run);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        first += run;
        n -= run;
    }
    return SPOOL_BASELINE_DONE;
}

/* Transforms n MCUs of a batch from its MCU `first` on, to the MCUs of the row from `column` on. */
static int transform(spool_baseline_decoder *decoder, int first, int column, int n, int planes, const row_planes *to)
{
    int beyond = 0;
    for (int i = 0; i < planes; i++) {
        const jpeg_component *c = &decoder->header.component[i];
        const int side = decoder->side[i];
        for (int y = 0; y < c->v; y++)
            beyond |= decoder->transform[i](
                decoder->component_blocks[i] + ((ptrdiff_t)y * decoder->batch + first) * c->h * BLOCK, (size_t)n * c->h,
                decoder->quant[i], to->out[i] + y * side * to->stride[i] + (ptrdiff_t)column * c->h * side,
                to->stride[i]);
    }
    return beyond ? SPOOL_BASELINE_RANGE : SPOOL_BASELINE_DONE;
}

static int decode_progressive_row(spool_baseline_decoder *decoder, int left, int right, int planes,
                                  const row_planes *to)
{
    const int reason = spool_baseline_read_row(&decoder->progressive, &decoder->header, decoder->row++);
    return reason == SPOOL_BASELINE_DONE ? transform(decoder, left, left, right - left, planes, to) : reason;
}

int spool_baseline_decode_row(spool_baseline_decoder *decoder, int left, int right, int planes, const row_planes *to)
{
    if (decoder->header.progressive)
        return decode_progressive_row(decoder, left, right, planes, to);
    int reason = read_mcus(decoder, 0, 0, left);
    for (int column = left; column < right && reason == SPOOL_BASELINE_DONE; column += decoder->batch) {
        const int n = right - column < decoder->batch ? right - column : decoder->batch;
        memset(decoder->blocks, 0, spool_baseline_blocks_bytes());
        reason = read_mcus(decoder, 1, 0, n);
        if (reason == SPOOL_BASELINE_DONE)
            reason = transform(decoder, 0, column, n, planes, to);
    }
    if (reason == SPOOL_BASELINE_DONE)
        reason = read_mcus(decoder, 0, 0, decoder->header.mcu_columns - right);
    decoder->row++;
    return reason;
}

int spool_baseline_close(spool_baseline_decoder *decoder)
{
    if (decoder->header.progressive)
        return spool_baseline_close_scans(&decoder->progressive);
    const int reason = spool_baseline_finish(&decoder->coded);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    return decoder->coded.from[1] == MARKER_EOI ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_SCANS;
}
