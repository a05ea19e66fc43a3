/* libopenjp2's objects for one codestream in memory. */
#ifndef SPOOL_JP2_CODEC_H
#define SPOOL_JP2_CODEC_H

#include <openjpeg.h>

#include "jp2.h"

typedef struct {
    const uint8_t *data;
    size_t size, at;
    const int32_t *flag;
} spool_jp2_source;

typedef struct {
    spool_jp2_source source;
    opj_stream_t *stream;
    opj_codec_t *codec;
    opj_image_t *image;
    spool_jp2_report *report;
} spool_jp2_codec;

/* Reads the main header. The caller closes the codec also after a failure. */
int spool_jp2_open(spool_jp2_codec *c, const uint8_t *data, size_t size, const int32_t *flag, spool_jp2_report *report);
void spool_jp2_close(spool_jp2_codec *c);

/* Whether the codestream has the geometry and components that the options describe. */
int spool_jp2_matches(const spool_jp2_codec *c, const spool_jp2_options *options);

#endif
