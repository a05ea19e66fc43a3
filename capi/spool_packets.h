/* Compressed packets of video and audio. Programs include spool.h. */
#ifndef SPOOL_PACKETS_H
#define SPOOL_PACKETS_H

#include "spool_base.h"
#include "spool_media.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- packets ---- */

/* Packets of a stream, in memory. They never change, and may be used by any number of concurrent calls. */
typedef struct spool_packets spool_packets;

/* Flags of a packet, with the values of FFmpeg's AV_PKT_FLAG. */
enum {
    SPOOL_PACKET_KEY = 1,
    SPOOL_PACKET_CORRUPT = 2,
    SPOOL_PACKET_DISCARD = 4,     /* outside of the window: needed only to decode packets in it */
    SPOOL_PACKET_DISPOSABLE = 16, /* no other packet needs it */
};

/* A time that a packet does not have, like FFmpeg's AV_NOPTS_VALUE. */
#define SPOOL_NO_TIME INT64_MIN

typedef struct spool_packet {
    const void *data; /* of size bytes, in FFmpeg's memory; valid until spool_packets_release */
    int64_t size;
    int64_t pts, dts, duration; /* in units of time_base, of spool_packets_info */
    int32_t flags;
    int32_t reserved;
} spool_packet;

/*
 * Reads packets of a file without decoding them. Keys of the options, which may be NULL:
 *   - medium, video (the default) or audio; stream, its index in the file, by default the best one; language, the best
 *     stream of this language.
 *   - start and end, a window in seconds of the container's time. It selects the packets that are needed to decode the
 *     frames that begin in it, or the samples in it. By default all packets are read.
 *   - bsf, FFmpeg's bitstream filters, as in spool_packets_filter.
 *   - The limits max_pixels max_bytes max_frames max_memory max_cpu, and the keys for stores, see spool_source.
 * It costs reading the window, and for video indexing the file. Cancel may be NULL. Errors: SPOOL_OPTIONS; those of an
 * input; SPOOL_NO_SUCH_FRAME for a stream that does not exist; those of spool_packets_filter; SPOOL_CANCELED.
 */
int32_t spool_packets_read(const spool_source *source, const char *options, spool_cancel *cancel,
                           spool_packets **packets, spool_error *error);

/*
 * Applies FFmpeg's bitstream filters, like "h264_mp4toannexb" or "a,b=option=value", which change packets without
 * decoding them. The result has its own packets and codec parameters. Cancel may be NULL. Errors: SPOOL_OPTIONS for
 * filters or options that FFmpeg lacks; SPOOL_UNSUPPORTED for filters of other codecs; SPOOL_CORRUPT for packets that
 * they cannot parse; SPOOL_CANCELED.
 */
int32_t spool_packets_filter(spool_packets *packets, const char *filters, spool_cancel *cancel,
                             spool_packets **filtered, spool_error *error);

/*
 * Describes packets, as a JSON object.
 *   - The stream: medium, stream, codec, extradata as base64, time_base, the seconds of a unit as [numerator,
 *     denominator], width, height and pix_fmt of video, channels and rate of audio.
 *   - The packets: packets and bytes; frames, the number of packets in the window; start_s and end_s, the window, or
 *     null where it is unlimited.
 */
int32_t spool_packets_info(spool_packets *packets, spool_array **json, spool_error *error);

/* Lists packets in decoding order: an array of n spool_packets, as bytes [n sizeof(spool_packet)]. */
int32_t spool_packets_list(spool_packets *packets, spool_array **list, spool_error *error);

/* Copies packets, with all that decoding needs, into bytes, which spool_packets_load reads in any process. */
int32_t spool_packets_save(spool_packets *packets, spool_array **data, spool_error *error);

/*
 * Reads packets from the bytes of spool_packets_save, and copies them. Errors: SPOOL_NOT_MEDIA for other bytes;
 * SPOOL_UNSUPPORTED for those of another version; SPOOL_TRUNCATED, SPOOL_CORRUPT.
 */
int32_t spool_packets_load(const void *data, size_t size, spool_packets **packets, spool_error *error);

/* Videos that were opened from the packets, and filtered packets, stay valid. */
void spool_packets_release(spool_packets *packets);

/*
 * Writes packets to a container without encoding them, each spool_packets as a stream, in the order of their decoding
 * times. Rotation and frame rate are kept, languages are not. The file at path appears complete or not at all. Keys of
 * the options, which may be NULL: format and format_option, as of spool_writer_open. Cancel may be NULL. Errors:
 * SPOOL_OPTIONS; SPOOL_UNSUPPORTED for a container that does not hold the streams; SPOOL_EMPTY without a packet; those
 * of writing; SPOOL_CANCELED.
 */
int32_t spool_mux(const char *path, spool_packets *const *streams, size_t n, const char *options, spool_cancel *cancel,
                  spool_error *error);

/*
 * Opens packets of video as a video: the frames of their window, counted from 0, at the times that they have in the
 * file. Of the keys for opening, only threads, codec and codec_option apply. It takes about 100 ns a packet, and copies
 * no payload. Cancel may be NULL. Errors: SPOOL_OPTIONS for audio; SPOOL_EMPTY for a window without a frame; those of
 * spool_video_open.
 */
int32_t spool_video_open_packets(spool_video_spec *spec, spool_packets *packets, spool_cancel *cancel,
                                 spool_video **video, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
