#include <openjpeg.h>
#include <string.h>

#include "floor.h"

enum { BUFFER = 64 << 10 };

typedef struct {
    const uint8_t *data;
    size_t size, at;
} memory;

/* The library treats a failed read as the end of the data. */
static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *user)
{
    memory *m = user;
    if (m->at == m->size)
        return (OPJ_SIZE_T)-1;
    if (n > m->size - m->at)
        n = m->size - m->at;
    memcpy(to, m->data + m->at, n);
    m->at += n;
    return n;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T n, void *user)
{
    memory *m = user;
    if (n < 0 || m->at == m->size)
        return -1;
    if ((size_t)n > m->size - m->at)
        n = (OPJ_OFF_T)(m->size - m->at);
    m->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek_bytes(OPJ_OFF_T at, void *user)
{
    memory *m = user;
    if (at < 0 || (size_t)at > m->size)
        return OPJ_FALSE;
    m->at = (size_t)at;
    return OPJ_TRUE;
}

int spool_floor_jp2(const uint8_t *data, size_t size)
{
    static const uint8_t soc[] = {0xff, 0x4f}; /* start of a codestream without boxes */
    const int bare = size >= sizeof soc && memcmp(data, soc, sizeof soc) == 0;
    memory m = {data, size, 0};
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_stream_t *stream = opj_stream_create(BUFFER, OPJ_TRUE);
    opj_codec_t *codec = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    int failed = stream == NULL || codec == NULL;
    if (!failed) {
        opj_stream_set_read_function(stream, read_bytes);
        opj_stream_set_skip_function(stream, skip_bytes);
        opj_stream_set_seek_function(stream, seek_bytes);
        opj_stream_set_user_data(stream, &m, NULL);
        opj_stream_set_user_data_length(stream, size);
        opj_set_default_decoder_parameters(&parameters);
        failed = !opj_setup_decoder(codec, &parameters) || !opj_read_header(stream, codec, &image) ||
                 !opj_decode(codec, stream, image);
    }
    if (image != NULL)
        opj_image_destroy(image);
    if (codec != NULL)
        opj_destroy_codec(codec);
    if (stream != NULL)
        opj_stream_destroy(stream);
    return failed;
}
