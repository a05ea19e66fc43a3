/* Memory that grows with larger images. */
#include "decoder.h"
#include "rows.h"

size_t spool_baseline_scan_bytes(void)
{
    return sizeof(scan_reader);
}

size_t spool_baseline_extent_bytes(spool_baseline_extent extent)
{
    return extent.scans * (sizeof(scan_reader) + WINDOW_BYTES) +
           extent.blocks * (BLOCK * sizeof(int16_t) + sizeof(uint64_t));
}

spool_baseline_extent spool_baseline_has(const spool_baseline_decoder *decoder)
{
    return (spool_baseline_extent){decoder->progressive.readers, decoder->progressive.row_blocks};
}

spool_baseline_extent spool_baseline_needs(const spool_baseline_decoder *decoder)
{
    return (spool_baseline_extent){decoder->progressive.scans, decoder->progressive.needed};
}

void spool_baseline_give_scan(spool_baseline_decoder *decoder, void *state, uint8_t *window)
{
    scan_reader *reader = state;
    reader->coded.window = window;
    decoder->progressive.reader[decoder->progressive.readers++] = reader;
}

void spool_baseline_give_row(spool_baseline_decoder *decoder, int16_t *coefficients, uint64_t *nonzero, size_t blocks)
{
    decoder->progressive.coefficients = coefficients;
    decoder->progressive.nonzero = nonzero;
    decoder->progressive.row_blocks = blocks;
}

int spool_baseline_check_strip(const spool_baseline_decoder *decoder, const spool_baseline_strip *strip)
{
    size_t bytes = strip->needed;
    if (decoder->header.progressive)
        bytes += spool_baseline_extent_bytes(spool_baseline_needs(decoder));
    if (bytes > strip->room)
        return SPOOL_BASELINE_TOO_LARGE;
    return strip->bytes < strip->needed ? SPOOL_BASELINE_MEMORY : SPOOL_BASELINE_DONE;
}
