/* Reasons to decline an image. Their numbers are counted and shown, so new ones are appended. */
#ifndef SPOOL_BASELINE_REASON_H
#define SPOOL_BASELINE_REASON_H

enum {
    SPOOL_BASELINE_DONE,      /* decoded */
    SPOOL_BASELINE_MARKER,    /* a marker that is malformed, or at an invalid position */
    SPOOL_BASELINE_END,       /* the data end too early */
    SPOOL_BASELINE_FRAME,     /* neither sequential nor progressive Huffman: arithmetic, lossless, ... */
    SPOOL_BASELINE_PRECISION, /* not 8 bits */
    SPOOL_BASELINE_CHANNELS,  /* neither one component nor three */
    SPOOL_BASELINE_SAMPLING,  /* factors above 2, or more than 10 blocks an MCU */
    SPOOL_BASELINE_SIZE,      /* width or height is 0, or above libjpeg-turbo's limit */
    SPOOL_BASELINE_SCANS,     /* several sequential scans, or progressive scans that are incomplete or out of order */
    SPOOL_BASELINE_TABLE,     /* a table that is missing or invalid */
    SPOOL_BASELINE_COLOR,     /* stored in another color space than gray or YCbCr, or possibly so */
    SPOOL_BASELINE_CODE,      /* bits that are not a code of their table */
    SPOOL_BASELINE_RUN,       /* a run beyond the block's last coefficient */
    SPOOL_BASELINE_OVERRUN,   /* coded data of an interval end too early */
    SPOOL_BASELINE_TRAILING,  /* coded data continue after the interval's last block */
    SPOOL_BASELINE_RESTART,   /* a restart marker out of sequence */
    SPOOL_BASELINE_RANGE,     /* coefficients beyond the range in which both engines are equal */
    SPOOL_BASELINE_TOO_LARGE, /* needs more memory than allowed */
    SPOOL_BASELINE_REASONS
};

/* Other results: misuse. */
enum {
    SPOOL_BASELINE_SHAPE = -1,
    SPOOL_BASELINE_SINK = -2,
    SPOOL_BASELINE_MEMORY = -3,
    SPOOL_BASELINE_SCAN_MEMORY = -4
};

#endif
