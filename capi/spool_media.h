/* Video and sound. Programs include spool.h. */
#ifndef SPOOL_MEDIA_H
#define SPOOL_MEDIA_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- video ---- */

/* How videos are opened, which of their frames are wanted, and as what. It never changes, and serves any number of
 * calls. */
typedef struct spool_video_spec spool_video_spec;

/*
 * Reads what is wanted of videos. Keys, with the meaning and the defaults of `spool decode video`:
 * which frames: frames range times start end sample (one way of these; none: all);
 * their pixels: size mode resize_shorter crop filter profile color dtype layout mean std orient planes pad_color fill
 * on_damage; how it is opened: stream language threads codec codec_option hwaccel index_dir max_pixels max_bytes
 * max_frames max_memory; and those for stores, see spool_source.
 */
int32_t spool_video_spec_new(const char *json, spool_video_spec **spec, spool_error *error);

void spool_video_spec_release(spool_video_spec *spec);

/* An open video. Calls with it from several threads wait for each other; several videos may be open of one file. */
typedef struct spool_video spool_video;

/*
 * Opens a video, and indexes it unless its index is saved: 1 to 10 ms, and reading the file once. Bytes in memory are
 * lent until spool_video_close. Cancel may be NULL. Errors: those of an input; SPOOL_NO_SUCH_FRAME for a stream that is
 * not there; SPOOL_CANCELED.
 */
int32_t spool_video_open(spool_video_spec *spec, const spool_source *source, spool_cancel *cancel, spool_video **video,
                         spool_error *error);

void spool_video_close(spool_video *video);

/*
 * Says what the video is, as a JSON object: format, stream, codec, width and height of the upright frames, pix_fmt,
 * bits, rotation, orientation, frames, rate, start_s and end_s (seconds, as the container counts), bytes (of the
 * packets), cut (the file breaks off), saved (the index was).
 */
int32_t spool_video_info(spool_video *video, spool_array **json, spool_error *error);

/* States of a frame. Others than SPOOL_WHOLE come only where on_damage is skip or repeat. */
enum {
    SPOOL_WHOLE = 0,
    SPOOL_DAMAGED = 1,  /* as far as the decoder could make it */
    SPOOL_REPEATED = 2, /* the last whole frame in its place */
    SPOOL_MISSING = 3   /* the colour "fill" */
};

typedef struct spool_frame {
    int64_t index;   /* in the order of presentation, from 0 */
    double pts;      /* when it begins to be shown, in seconds, as the container counts: a video need not begin at 0 */
    double duration; /* until the next one begins */
    int32_t state;
    int32_t key; /* of spool_video_frames: 1 where decoding can begin */
} spool_frame;

/* All frames of the video, without decoding: an array of n spool_frames, as bytes [n sizeof(spool_frame)]. */
int32_t spool_video_frames(spool_video *video, spool_array **frames, spool_error *error);

/* Frames of a video, and what it took to get them. The caller releases both arrays. */
typedef struct spool_clip {
    spool_array *pixels;   /* [n h w c], with "layout": "nchw" [n c h w]; NULL of spool_video_decode_into */
    spool_array_view view; /* of the pixels, wherever they are */
    spool_array *frames;   /* n spool_frames, as bytes [n sizeof(spool_frame)] */
    int64_t read, decoded, skipped, seeks; /* packets read, given to the decoder, skipped by it; seeks */
    int64_t damaged;                       /* packets that were found damaged */
} spool_clip;

/*
 * Decodes n frames by their numbers, in any order, some of them more than once; with frames NULL those that spec says.
 * Each group of pictures is decoded once. With "on_damage": "skip" the clip has no frames that did not come. Cancel may
 * be NULL. Errors: SPOOL_NO_SUCH_FRAME, before anything is decoded; SPOOL_CORRUPT and SPOOL_TRUNCATED, as on_damage
 * says; SPOOL_UNSUPPORTED for frames of different sizes without a size in spec; SPOOL_TOO_LARGE; SPOOL_CANCELED.
 */
int32_t spool_video_decode(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                           spool_cancel *cancel, spool_clip *clip, spool_error *error);

/*
 * Decodes frames into memory of the caller's: out has exactly the size of all that are asked for, at any address. On
 * error its contents are unspecified. Errors: spool_video_decode's, and SPOOL_SHAPE.
 */
int32_t spool_video_decode_into(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                                spool_cancel *cancel, void *out, size_t size, spool_clip *clip, spool_error *error);

/* ---- audio ---- */

/* How sounds are opened, and what is wanted of them. It never changes, and serves any number of calls at a time. */
typedef struct spool_audio_spec spool_audio_spec;

/*
 * Reads what is wanted of sounds. Keys, with the meaning and the defaults of `spool decode audio`:
 * rate channels start end dtype layout quality on_damage stream language codec codec_option max_bytes max_memory and
 * the other limits, and those for stores, see spool_source.
 */
int32_t spool_audio_spec_new(const char *json, spool_audio_spec **spec, spool_error *error);

void spool_audio_spec_release(spool_audio_spec *spec);

/* An open sound, of a file that may have pictures as well. Calls with it from several threads wait for each other. */
typedef struct spool_audio spool_audio;

/*
 * Opens a sound: 20 us for WAV, 0.2 to 5 ms for the rest. Bytes in memory are lent until spool_audio_close. Cancel may
 * be NULL. Errors: those of an input (SPOOL_NOT_MEDIA also: there is no sound); SPOOL_NO_SUCH_FRAME for a stream that
 * is not there; SPOOL_CANCELED.
 */
int32_t spool_audio_open(spool_audio_spec *spec, const spool_source *source, spool_cancel *cancel, spool_audio **audio,
                         spool_error *error);

void spool_audio_close(spool_audio *audio);

/*
 * Says what the sound is, as a JSON object: format, stream, codec, rate, channels, layout (of the channels), bits,
 * language, samples (of each channel, -1 where the file does not say; an estimate unless exact is true), start_s (when
 * the first sample is heard, as the container counts), duration_s.
 */
int32_t spool_audio_info(spool_audio *audio, spool_array **json, spool_error *error);

/* A window of a sound. The caller releases the array. */
typedef struct spool_sound {
    spool_array *samples; /* [channels n], with "layout": "tc" [n channels] */
    int64_t first;        /* the first one, counted from the sound's first at rate */
    int32_t rate;         /* samples a second */
    int32_t damaged;      /* packets that were found damaged */
} spool_sound;

/*
 * Decodes the samples in [window[0], window[1]), in seconds from the sound's first sample; an infinite end is the
 * sound's. With window NULL it is what spec says. A window is that part of the whole, to the last bit; behind the
 * sound's end there is nothing. Cancel may be NULL. Errors: SPOOL_OPTIONS for a window that begins before 0 or ends
 * before it begins; SPOOL_CORRUPT and SPOOL_TRUNCATED, as on_damage says; SPOOL_TOO_LARGE; SPOOL_CANCELED.
 */
int32_t spool_audio_decode(spool_audio *audio, spool_audio_spec *spec, const double *window, spool_cancel *cancel,
                           spool_sound *sound, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
