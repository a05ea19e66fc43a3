#include "codec.h"

#include <stdio.h>
#include <string.h>

enum { BUFFER = 64 << 10 };

/* The library takes a failed read for the end of the data. */
static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *user)
{
    spool_jp2_source *s = user;
    const size_t left = s->size - s->at;
    if (left == 0 || spool_cancelled(s->flag))
        return (OPJ_SIZE_T)-1;
    if (n > left)
        n = left;
    memcpy(to, s->data + s->at, n);
    s->at += n;
    return n;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T n, void *user)
{
    spool_jp2_source *s = user;
    const size_t left = s->size - s->at;
    if (n < 0 || left == 0)
        return -1;
    if ((uint64_t)n > left)
        n = (OPJ_OFF_T)left;
    s->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek_bytes(OPJ_OFF_T at, void *user)
{
    spool_jp2_source *s = user;
    if (at < 0 || (uint64_t)at > s->size)
        return OPJ_FALSE;
    s->at = (size_t)at;
    return OPJ_TRUE;
}

/* Keeps the first message, which names the cause. Later messages only name the functions that failed because of it. */
static void keep_message(const char *text, void *user)
{
    spool_jp2_report *report = user;
    if (report->text[0] != 0)
        return;
    snprintf(report->text, sizeof report->text, "%s", text);
    report->text[strcspn(report->text, "\r\n")] = 0;
}

int spool_jp2_open(spool_jp2_codec *c, const uint8_t *data, size_t size, const int32_t *flag, spool_jp2_report *report)
{
    opj_dparameters_t parameters;
    *c = (spool_jp2_codec){.source = {.data = data, .size = size, .flag = flag}, .report = report};
    c->stream = opj_stream_create(BUFFER, OPJ_TRUE);
    c->codec = opj_create_decompress(OPJ_CODEC_J2K);
    if (c->stream == NULL || c->codec == NULL)
        return SPOOL_JP2_MEMORY;
    opj_stream_set_read_function(c->stream, read_bytes);
    opj_stream_set_skip_function(c->stream, skip_bytes);
    opj_stream_set_seek_function(c->stream, seek_bytes);
    opj_stream_set_user_data(c->stream, &c->source, NULL);
    opj_stream_set_user_data_length(c->stream, size);
    opj_set_error_handler(c->codec, keep_message, report);
    opj_set_default_decoder_parameters(&parameters);
    if (!opj_setup_decoder(c->codec, &parameters) || !opj_read_header(c->stream, c->codec, &c->image))
        return SPOOL_JP2_FAILED;
    return SPOOL_JP2_OK;
}

void spool_jp2_close(spool_jp2_codec *c)
{
    if (c->image != NULL)
        opj_image_destroy(c->image);
    if (c->codec != NULL)
        opj_destroy_codec(c->codec);
    if (c->stream != NULL)
        opj_stream_destroy(c->stream);
    c->image = NULL;
    c->codec = NULL;
    c->stream = NULL;
}

int spool_jp2_matches(const spool_jp2_codec *c, const spool_jp2_options *o)
{
    const opj_image_t *image = c->image;
    if (image->x0 != (uint32_t)o->left || image->y0 != (uint32_t)o->top || image->x1 != (uint32_t)o->right ||
        image->y1 != (uint32_t)o->bottom || image->numcomps != (uint32_t)o->count)
        return 0;
    for (int i = 0; i < o->count; i++) {
        const opj_image_comp_t *theirs = &image->comps[i];
        const spool_jp2_component *ours = &o->components[i];
        if (theirs->prec != (uint32_t)ours->bits || theirs->sgnd != (uint32_t)ours->is_signed ||
            theirs->dx != (uint32_t)ours->dx || theirs->dy != (uint32_t)ours->dy)
            return 0;
    }
    return 1;
}
