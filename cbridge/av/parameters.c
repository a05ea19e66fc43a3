#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>

#include "av.h"

void spool_av_parameters_of(void *context, int stream, spool_av_parameters *p)
{
    const AVStream *s = ((AVFormatContext *)context)->streams[stream];
    spool_av_parameters_from(s->codecpar, s->time_base.num, s->time_base.den, p);
}

void spool_av_parameters_from(const void *parameters, int base_num, int base_den, spool_av_parameters *p)
{
    const AVCodecParameters *from = parameters;
    const int video = from->codec_type == AVMEDIA_TYPE_VIDEO;

    *p = (spool_av_parameters){
        .codec = from->codec_id == AV_CODEC_ID_NONE ? NULL : avcodec_get_name(from->codec_id),
        .pixel_format = video ? av_get_pix_fmt_name(from->format) : NULL,
        .sample_format = video ? NULL : av_get_sample_fmt_name(from->format),
        .extradata = from->extradata,
        .extradata_size = from->extradata_size,
        .bit_rate = from->bit_rate,
        .type = from->codec_type,
        .tag = from->codec_tag,
        .bits_coded = from->bits_per_coded_sample,
        .bits_raw = from->bits_per_raw_sample,
        .profile = from->profile,
        .level = from->level,
        .width = from->width,
        .height = from->height,
        .delay = from->video_delay,
        .field_order = from->field_order,
        .aspect_num = from->sample_aspect_ratio.num,
        .aspect_den = from->sample_aspect_ratio.den,
        .range = from->color_range,
        .primaries = from->color_primaries,
        .transfer = from->color_trc,
        .matrix = from->color_space,
        .chroma_location = from->chroma_location,
        .channels = from->ch_layout.nb_channels,
        .rate = from->sample_rate,
        .block_align = from->block_align,
        .frame_size = from->frame_size,
        .padding = from->initial_padding,
        .trailing = from->trailing_padding,
        .preroll = from->seek_preroll,
        .base_num = base_num,
        .base_den = base_den,
    };
    if (from->ch_layout.order != AV_CHANNEL_ORDER_UNSPEC &&
        av_channel_layout_describe(&from->ch_layout, p->layout, sizeof p->layout) < 0)
        p->layout[0] = '\0';
}

static int copy_extradata(const spool_av_parameters *p, AVCodecParameters *to)
{
    if (p->extradata_size == 0)
        return 0;
    to->extradata = av_mallocz((size_t)p->extradata_size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!to->extradata)
        return AVERROR(ENOMEM);
    memcpy(to->extradata, p->extradata, (size_t)p->extradata_size);
    to->extradata_size = p->extradata_size;
    return 0;
}

static int copy_layout(const spool_av_parameters *p, AVCodecParameters *to)
{
    if (p->layout[0])
        return av_channel_layout_from_string(&to->ch_layout, p->layout);
    to->ch_layout = (AVChannelLayout){.order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = p->channels};
    return 0;
}

int spool_av_parameters_to(const spool_av_parameters *p, void *parameters)
{
    AVCodecParameters *to = parameters;
    const AVCodecDescriptor *codec = p->codec ? avcodec_descriptor_get_by_name(p->codec) : NULL;

    if (!codec)
        return AVERROR_DECODER_NOT_FOUND;
    to->codec_type = codec->type;
    to->codec_id = codec->id;
    to->codec_tag = p->tag;
    to->bit_rate = p->bit_rate;
    to->format = -1;
    if (p->pixel_format)
        to->format = av_get_pix_fmt(p->pixel_format);
    else if (p->sample_format)
        to->format = av_get_sample_fmt(p->sample_format);
    to->bits_per_coded_sample = p->bits_coded;
    to->bits_per_raw_sample = p->bits_raw;
    to->profile = p->profile;
    to->level = p->level;
    to->width = p->width;
    to->height = p->height;
    to->video_delay = p->delay;
    to->field_order = p->field_order;
    to->sample_aspect_ratio = (AVRational){p->aspect_num, p->aspect_den};
    to->color_range = p->range;
    to->color_primaries = p->primaries;
    to->color_trc = p->transfer;
    to->color_space = p->matrix;
    to->chroma_location = p->chroma_location;
    to->sample_rate = p->rate;
    to->block_align = p->block_align;
    to->frame_size = p->frame_size;
    to->initial_padding = p->padding;
    to->trailing_padding = p->trailing;
    to->seek_preroll = p->preroll;
    const int code = copy_extradata(p, to);
    return code < 0 ? code : copy_layout(p, to);
}
