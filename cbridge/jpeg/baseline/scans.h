/*
 * The scans of a progressive image (ITU-T T.81, annex G). Each has some coefficients of a component, the band [first,
 * last] of the zigzag, or the DC coefficients of several components. The first scan of a coefficient has its upper
 * bits, and each further scan one bit more.
 */
#ifndef SPOOL_BASELINE_SCANS_H
#define SPOOL_BASELINE_SCANS_H

#include "markers.h"

enum { MAX_SCANS = 32 }; /* encoders write 6 to 12 */

typedef struct {
    int32_t components, component[SPOOL_BASELINE_COMPONENTS];
    int32_t first, last;
    int32_t low;                                 /* the lowest bit in this scan */
    int refines;                                 /* it has only that bit; the ones above were sent before */
    int32_t restart;                             /* MCUs between restart markers, or 0 */
    jpeg_codes codes[SPOOL_BASELINE_COMPONENTS]; /* of each component; none if DC coefficients are refined */
    const uint8_t *coded, *end;                  /* up to the marker after it */
} jpeg_scan;

/*
 * Reads from header->scan to the image's end. Returns SPOOL_BASELINE_DONE or a reason. If it is done, each coefficient
 * is sent with all its bits, in an order of which libjpeg-turbo does not warn. (libjpeg-turbo would smooth an
 * incomplete image.)
 */
int spool_baseline_read_scans(jpeg_header *header, jpeg_scan scans[MAX_SCANS], int *count);

#endif
