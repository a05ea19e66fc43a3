#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/samplefmt.h>

#include "block.h"

/* Reports whether a frame's samples can follow those of the block. */
static int fits(const spool_av_block *b, const AVFrame *f)
{
    return f->format == b->format && f->ch_layout.nb_channels == b->channels && f->sample_rate == b->rate &&
           !(f->flags & AV_FRAME_FLAG_CORRUPT) && !f->decode_error_flags && f->nb_samples <= b->room - b->samples;
}

static void append(spool_av_block *b, const AVFrame *f)
{
    const size_t step = (size_t)b->step;

    for (int32_t i = 0; i < b->planes; i++)
        memcpy(b->memory + (size_t)(i * b->room + b->samples) * step, f->extended_data[i],
               (size_t)f->nb_samples * step);
    b->samples += f->nb_samples;
}

/* Plans the memory of an empty block. */
static void plan(spool_av_block *b)
{
    const int size = av_get_bytes_per_sample(b->format), planar = av_sample_fmt_is_planar(b->format);

    b->planes = planar ? b->channels : 1;
    b->step = planar ? size : size * b->channels;
    b->room = b->planes > 0 && b->step > 0 ? b->bytes / b->planes / b->step : 0;
    b->samples = 0;
}

/* Reads the next packet of a stream. */
static int read(spool_av_input *input, int stream, AVPacket *packet)
{
    int code;

    do {
        if (spool_cancelled(input->flag))
            return AVERROR_EXIT;
        av_packet_unref(packet);
        code = av_read_frame(input->context, packet);
    } while (code >= 0 && packet->stream_index != stream);
    return code;
}

int spool_av_block_fill(spool_av_block *block, spool_av_input *input, int stream, void *decoder, void *packet,
                        void *frame)
{
    int last = 0; /* samples of the last frame: the next one is usually as long */

    plan(block);
    while (block->samples < block->wanted && block->samples + last <= block->room) {
        block->code = avcodec_receive_frame(decoder, frame);
        if (block->code == AVERROR(EAGAIN)) {
            if ((block->code = read(input, stream, packet)) < 0)
                return SPOOL_AV_BLOCK_READ;
            if ((block->code = avcodec_send_packet(decoder, packet)) < 0)
                return SPOOL_AV_BLOCK_DECODE;
            continue;
        }
        if (block->code < 0)
            return block->code == AVERROR_EOF ? SPOOL_AV_BLOCK_END : SPOOL_AV_BLOCK_DECODE;
        const AVFrame *f = frame;
        if (!fits(block, f))
            return SPOOL_AV_BLOCK_FRAME;
        append(block, f);
        last = f->nb_samples;
    }
    return SPOOL_AV_BLOCK_FULL;
}
