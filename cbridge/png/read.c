#include "frame.h"

int spool_png_read_frame(spool_png_frame *frame, size_t *end)
{
    spool_png_extent extent;
    spool_png_measure(frame, &extent);
    *end = extent.end;
    const int status = spool_png_read_regular(frame, &extent);
    return status == SPOOL_PNG_PASS ? spool_png_read_any(frame, &extent) : status;
}
