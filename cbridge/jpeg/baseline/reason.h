/* Why a picture is left to the other engine. Numbers are counted and shown: new ones go to the end. */
#ifndef SPOOL_BASELINE_REASON_H
#define SPOOL_BASELINE_REASON_H

enum {
    SPOOL_BASELINE_DONE,      /* none: decoded */
    SPOOL_BASELINE_MARKER,    /* a marker that is malformed, or not expected where it is */
    SPOOL_BASELINE_END,       /* the data end too early */
    SPOOL_BASELINE_FRAME,     /* neither sequential nor progressive Huffman: arithmetic, lossless, ... */
    SPOOL_BASELINE_PRECISION, /* not 8 bits */
    SPOOL_BASELINE_CHANNELS,  /* neither one component nor three */
    SPOOL_BASELINE_SAMPLING,  /* factors above 2, or more than 10 blocks an MCU */
    SPOOL_BASELINE_SIZE,      /* no width or height yet, or above the other engine's limit */
    SPOOL_BASELINE_SCANS,     /* several sequential scans, or progressive ones that are not complete or not in order */
    SPOOL_BASELINE_TABLE,     /* a table that is missing or impossible */
    SPOOL_BASELINE_COLOR,     /* stored as something else than gray or YCbCr, or it is not clear */
    SPOOL_BASELINE_CODE,      /* bits that are no code of their table */
    SPOOL_BASELINE_RUN,       /* a run beyond the block's last coefficient */
    SPOOL_BASELINE_OVERRUN,   /* coded data of an interval end too early */
    SPOOL_BASELINE_TRAILING,  /* coded data go on after the interval's last block */
    SPOOL_BASELINE_RESTART,   /* not the restart marker that has to follow */
    SPOOL_BASELINE_RANGE,     /* coefficients beyond the range in which both engines are the same */
    SPOOL_BASELINE_TOO_LARGE, /* takes more memory than it may */
    SPOOL_BASELINE_REASONS
};

/* Not reasons: misuse. */
enum {
    SPOOL_BASELINE_SHAPE = -1,
    SPOOL_BASELINE_SINK = -2,
    SPOOL_BASELINE_MEMORY = -3,
    SPOOL_BASELINE_SCAN_MEMORY = -4
};

#endif
