/* Files of video and audio. Programs include spool.h. */
#ifndef SPOOL_ENCODE_H
#define SPOOL_ENCODE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- write ---- */

/* A file of video, audio or both that is being written. Concurrent calls with it wait for each other. */
typedef struct spool_writer spool_writer;

/*
 * Begins a file. It appears under its path when it is finished, and an existing file stays until then. If path is NULL,
 * the file is in memory, and spool_writer_finish returns it; then "format" must be set. Keys of the options:
 *   - Video, which the file has if size is given: size, "WxH" or [w, h]; fps, frames a second (25); pixels
 *     rgb|gray|rgba|yuv420p|rgb16|gray16 (rgb), of spool_writer_frames; timed, true if frames come with their times;
 *     codec, FFmpeg's name of a codec or encoder, by default that of the container; codec_option, an object with
 *     options of the encoder; stored, FFmpeg's name of the stored pixel format; threads of the encoder (1).
 *   - Audio, which the file has if rate is given: rate, channels (1), dtype float32|s16|s32 and layout ct|tc, of
 *     spool_writer_samples; audio_codec and audio_codec_option.
 *   - The file: format, FFmpeg's name of the container, by default that of the name's extension; format_option.
 * Cancel may be NULL. Errors: SPOOL_OPTIONS; SPOOL_UNSUPPORTED for formats and encoders that FFmpeg lacks, with a list
 * of those that it has, or that do not fit together; those of writing; SPOOL_CANCELED.
 */
int32_t spool_writer_open(const char *path, const char *options, spool_cancel *cancel, spool_writer **writer,
                          spool_error *error);

/*
 * Encodes the next frames: [h w], [h w c] or [n h w c], of uint8, or uint16 for rgb16 and gray16. All fields of the
 * view are used, as filled by spool_array_describe. The memory is borrowed, without gaps, of any alignment. With
 * "timed", seconds has the time of each frame; otherwise it must be NULL. Cancel may be NULL. Errors: SPOOL_SHAPE for
 * frames of another size or type; SPOOL_OPTIONS; those of writing; SPOOL_CLOSED after spool_writer_finish, and after an
 * error, which makes the file unusable; SPOOL_CANCELED.
 */
int32_t spool_writer_frames(spool_writer *writer, const spool_array_view *frames, const double *seconds,
                            spool_cancel *cancel, spool_error *error);

/*
 * Encodes the next samples of each channel: [channels n], or with "layout": "tc" [n channels]. Of a file that also has
 * video, the stream that is ahead is kept in memory, so write both alternately. Errors: those of spool_writer_frames.
 */
int32_t spool_writer_samples(spool_writer *writer, const spool_array_view *samples, spool_cancel *cancel,
                             spool_error *error);

/*
 * Writes what the encoders still hold, and completes the file. Nothing can be written after it. Of a file in memory it
 * returns the bytes; otherwise file is set to NULL. Errors: SPOOL_EMPTY for a file without a frame or sample; else
 * those of spool_writer_frames.
 */
int32_t spool_writer_finish(spool_writer *writer, spool_cancel *cancel, spool_array **file, spool_error *error);

/* Closes a writer. A file that is not finished is removed. */
void spool_writer_close(spool_writer *writer);

/*
 * Writes the packets of a file to another container, without encoding them. The file at path appears complete or not at
 * all. Keys of the options, which may be NULL: start and end, a window in seconds of the container's time, which cuts
 * video only at key frames: it begins with the last one at or before start, and ends before the first one at or after
 * end; streams, a list of their indices (all video and audio); format and format_option, as of spool_writer_open; and
 * the keys for stores, see spool_source. Cancel may be NULL. Errors: SPOOL_OPTIONS; SPOOL_UNSUPPORTED for a container
 * that does not hold the streams; SPOOL_NO_SUCH_FRAME for streams that do not exist; SPOOL_EMPTY for a window without
 * packets; those of an input and of writing; SPOOL_CANCELED.
 */
int32_t spool_remux(const char *path, const spool_source *source, const char *options, spool_cancel *cancel,
                    spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
