/*
 * The scans of a progressive picture (ITU-T T.81, annex G). Each brings some coefficients of a component, the
 * band [first, last] of the zigzag, or the DC coefficients of several components: first their upper bits, then, scan
 * by scan, one bit more.
 */
#ifndef SPOOL_BASELINE_SCANS_H
#define SPOOL_BASELINE_SCANS_H

#include "markers.h"

enum { MAX_SCANS = 32 }; /* encoders write 6 to 12 */

typedef struct {
    int32_t components, component[SPOOL_BASELINE_COMPONENTS];
    int32_t first, last;
    int32_t low;                                 /* the lowest bit that it brings */
    int refines;                                 /* it brings that bit alone; the ones above were sent before */
    int32_t restart;                             /* MCUs between restart markers, or 0 */
    jpeg_codes codes[SPOOL_BASELINE_COMPONENTS]; /* of each component; none where DC coefficients are refined */
    const uint8_t *coded, *end;                  /* up to the marker behind it */
} jpeg_scan;

/*
 * Reads from header->scan to the picture's end. Returns SPOOL_BASELINE_DONE or a reason; after the former, each
 * coefficient comes with all its bits, in an order of which libjpeg-turbo has nothing to say.
 * (A picture that is not complete is smoothed there.)
 */
int spool_baseline_read_scans(jpeg_header *header, jpeg_scan scans[MAX_SCANS], int *count);

#endif
