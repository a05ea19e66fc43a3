/* Why a frame is left to FFmpeg. The numbers are used in statistics: add new reasons at the end. */
#ifndef SPOOL_FLAC_REASON_H
#define SPOOL_FLAC_REASON_H

enum {
    SPOOL_FLAC_DONE,     /* none: decoded */
    SPOOL_FLAC_STREAM,   /* the input cannot be read twice: FFmpeg could not start again */
    SPOOL_FLAC_METADATA, /* malformed or missing metadata blocks */
    SPOOL_FLAC_SYNC,     /* no frame at this position */
    SPOOL_FLAC_HEADER,   /* malformed or reserved frame header, or wrong checksum of it */
    SPOOL_FLAC_CHANGE,   /* sample rate, depth or channels differ from the stream's, or a larger block */
    SPOOL_FLAC_NUMBER,   /* not the next frame */
    SPOOL_FLAC_SUBFRAME, /* reserved or invalid subframe */
    SPOOL_FLAC_RESIDUAL, /* reserved or invalid residual */
    SPOOL_FLAC_RANGE,    /* samples exceed the stream's depth */
    SPOOL_FLAC_CHECKSUM, /* wrong checksum of a frame */
    SPOOL_FLAC_END,      /* the data end within a frame */
    SPOOL_FLAC_LENGTH,   /* more or fewer samples than the stream's header has */
    SPOOL_FLAC_REASONS
};

#endif
