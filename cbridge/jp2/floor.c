#include "codec.h"

int spool_jp2_floor(const uint8_t *data, size_t size)
{
    spool_jp2_codec c;
    spool_jp2_report report = {0};
    int code = spool_jp2_open(&c, data, size, NULL, &report);
    if (code == SPOOL_JP2_OK && !opj_decode(c.codec, c.stream, c.image))
        code = SPOOL_JP2_FAILED;
    spool_jp2_close(&c);
    return code;
}
