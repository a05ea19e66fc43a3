#include "bitstream.h"

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>

int spool_av_bitstream_open(const char *filters, const void *parameters, int base_num, int base_den, void **opened)
{
    AVBSFContext *context = NULL;
    int code = av_bsf_list_parse_str(filters, &context);

    if (code >= 0)
        code = avcodec_parameters_copy(context->par_in, parameters);
    if (code >= 0) {
        context->time_base_in = (AVRational){base_num, base_den};
        code = av_bsf_init(context);
    }
    if (code < 0)
        av_bsf_free(&context);
    *opened = context;
    return code;
}

void spool_av_bitstream_close(void *context)
{
    AVBSFContext *c = context;
    av_bsf_free(&c);
}

void spool_av_bitstream_parameters(const void *context, spool_av_parameters *p)
{
    const AVBSFContext *c = context;
    spool_av_parameters_from(c->par_out, c->time_base_out.num, c->time_base_out.den, p);
}

int spool_av_bitstream_send(void *context, void *packet)
{
    return av_bsf_send_packet(context, packet);
}

int spool_av_bitstream_receive(void *context, void *packet)
{
    const int code = av_bsf_receive_packet(context, packet);
    return code == AVERROR(EAGAIN) || code == AVERROR_EOF ? 0 : code < 0 ? code : 1;
}
