/* A picture's planes, as a planes sink takes them: each at a scale of its own. */
#ifndef SPOOL_BASELINE_BANDS_H
#define SPOOL_BASELINE_BANDS_H

#include "planes.h"
#include "rows.h"

typedef struct {
    int32_t width, height; /* of the picture, at full size */
    int32_t luma, chroma;  /* samples a side that a block becomes: 8, 4, 2 or 1 */
    int32_t gray;          /* luma alone */
    int32_t sub_x, sub_y;  /* samples of luma to one of chroma, at these scales */
} spool_baseline_scales;

/*
 * Pushes the bands that the sink wants, which was made for planes of these scales. Returns as spool_baseline_rows
 * does.
 */
int spool_baseline_bands(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                         const spool_baseline_scales *scales, spool_baseline_strip *strip, spool_planes *sink,
                         const int32_t *flag);

#endif
