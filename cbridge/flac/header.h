/* A frame's header. */
#ifndef SPOOL_FLAC_HEADER_H
#define SPOOL_FLAC_HEADER_H

#include "flac.h"

enum { INDEPENDENT, LEFT_SIDE, SIDE_RIGHT, MID_SIDE };

typedef struct {
    int32_t samples;
    int32_t stereo;   /* the stereo mode */
    int32_t bytes;    /* of the header */
    int32_t variable; /* as in spool_flac_stream */
    int64_t number;
} flac_header;

/* Returns SPOOL_FLAC_DONE or a reason. */
int spool_flac_header(const spool_flac_stream *s, const uint8_t *p, size_t n, flac_header *h);

#endif
