/* Decoding to the planes of an image, for a planes sink, with a scale for each plane. */
#ifndef SPOOL_BASELINE_BANDS_H
#define SPOOL_BASELINE_BANDS_H

#include "planes.h"
#include "rows.h"

typedef struct {
    int32_t width, height; /* of the image, at full size */
    int32_t luma, chroma;  /* samples a side for each block: 8, 4, 2 or 1 */
    int32_t gray;          /* luma only */
    int32_t sub_x, sub_y;  /* luma samples for each chroma sample, at these scales */
} spool_baseline_scales;

/*
 * Pushes the bands that the sink requests. The sink must be made for planes of these scales. Returns as
 * spool_baseline_rows.
 */
int spool_baseline_bands(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                         const spool_baseline_scales *scales, spool_baseline_strip *strip, spool_planes *sink,
                         const int32_t *flag);

#endif
