/* Why a frame is left to the other engine. Numbers are counted and shown: new ones go to the end. */
#ifndef SPOOL_FLAC_REASON_H
#define SPOOL_FLAC_REASON_H

enum {
    SPOOL_FLAC_DONE,     /* none: decoded */
    SPOOL_FLAC_STREAM,   /* its bytes come once: the other engine could not begin again */
    SPOOL_FLAC_METADATA, /* blocks of metadata that are malformed, or missing */
    SPOOL_FLAC_SYNC,     /* no frame begins here */
    SPOOL_FLAC_HEADER,   /* a frame's header that is malformed or reserved, or not of its checksum */
    SPOOL_FLAC_CHANGE,   /* another rate, depth or number of channels than the stream's, or larger blocks */
    SPOOL_FLAC_NUMBER,   /* not the frame that comes next */
    SPOOL_FLAC_SUBFRAME, /* a subframe that is reserved or impossible */
    SPOOL_FLAC_RESIDUAL, /* a residual that is reserved or impossible */
    SPOOL_FLAC_RANGE,    /* samples beyond the stream's depth */
    SPOOL_FLAC_CHECKSUM, /* a frame that is not of its checksum */
    SPOOL_FLAC_END,      /* the data end within a frame */
    SPOOL_FLAC_LENGTH,   /* more or fewer samples than the stream says it has */
    SPOOL_FLAC_REASONS
};

#endif
