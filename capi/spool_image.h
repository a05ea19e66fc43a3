/* Pictures, decoded and encoded. Programs include spool.h. */
#ifndef SPOOL_IMAGE_H
#define SPOOL_IMAGE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- image ---- */

/* What is wanted of pictures. It never changes, and serves any number of calls at a time. */
typedef struct spool_image_spec spool_image_spec;

/*
 * Reads what is wanted of pictures. Keys, with the meaning and the defaults of `spool decode image`:
 * size mode resize_shorter crop filter profile color alpha dtype layout mean std orient icc frame accept fill pad_color
 * jpeg allow max_pixels max_bytes max_frames max_memory, and those for stores, see spool_source. A size is "WxH" or
 * [w, h]. Beside them for training:
 *   box           [left, top, width, height]: only this part of the picture
 *   random_scale  [a, b], and
 *   random_ratio  [a, b]: a random part, as torchvision's RandomResizedCrop has it; either asks for it
 *   random_crop   padding of [left, top, right, bottom], or of all sides: "crop" is taken from a random place
 *   flip_x flip_y the probability of mirroring, left to right and top to bottom
 * What is drawn for a picture follows from seed, epoch and id alone, see spool_images_options, and is what the loaders
 * draw. Functions for one picture draw what these draw for 0, 0 and 0.
 */
int32_t spool_image_spec_new(const char *json, spool_image_spec **spec, spool_error *error);

void spool_image_spec_release(spool_image_spec *spec);

/* Describes a result, with data NULL. Where the size depends on the picture, ndim is 0. */
int32_t spool_image_spec_describe(spool_image_spec *spec, spool_array_view *view, spool_error *error);

/* The part of an upright picture that a result shows, in its pixels, mirrored where flips say so. */
typedef struct spool_region {
    double left, top, width, height;
    int32_t flip_x, flip_y;
} spool_region;

/* How decoding a picture went. */
typedef struct spool_image_report {
    int32_t width, height; /* as stored, before orientation */
    int32_t channels, bits;
    int32_t frames;      /* in the file; 0 where they were not counted */
    int32_t orientation; /* EXIF's, 1 to 8 */
    int32_t damaged;     /* 1: a part is the colour "fill" */
    int32_t warnings;    /* what the library found odd but read */
    double fraction;     /* how much was read, 1 of a whole picture */
    spool_region region;
    int64_t shape[SPOOL_MAX_DIMS]; /* of the result: ndim of them, then zeros */
    int32_t ndim, reserved;
} spool_image_report;

/*
 * Decodes a picture into an array of its own: [h w c], with "layout": "nchw" [c h w], with "frame": "all" one more
 * dimension in front. Cancel and report may be NULL. Errors: all those of an input; SPOOL_CANCELED.
 */
int32_t spool_decode_image(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel,
                           spool_array **array, spool_image_report *report, spool_error *error);

/*
 * Decodes a picture into memory of the caller's: out has exactly the size of the result, at any address. On error its
 * contents are unspecified. Errors: spool_decode_image's, and SPOOL_SHAPE.
 */
int32_t spool_decode_image_into(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel, void *out,
                                size_t size, spool_image_report *report, spool_error *error);

/* What becomes of the pictures of a batch that cannot be decoded. */
enum {
    SPOOL_RAISE = 0, /* the call fails, with the error of the first one in the order of sources */
    SPOOL_SKIP = 1,  /* they are left out: the others are the first rows, in their order */
    SPOOL_MASK = 2   /* their rows are zero */
};

/* How pictures are decoded into a batch. All but struct_size may be 0. */
typedef struct spool_images_options {
    uint32_t struct_size; /* sizeof(spool_images_options) */
    int32_t errors;       /* SPOOL_RAISE, SPOOL_SKIP or SPOOL_MASK */
    int32_t threads;      /* pictures decoded at a time; 0: one for each core that the process may use */
    int32_t reserved;
    void *out;       /* memory for the batch, or NULL for an array of its own */
    size_t out_size; /* exactly that of all n rows */
    uint64_t seed, epoch;
    const uint64_t *ids;   /* n of them, for what is drawn; NULL: 0, 1, 2, ... */
    int32_t *codes;        /* n of them, or NULL: for each source SPOOL_OK or why it failed; filled on error as well */
    spool_region *regions; /* n of them, or NULL: for each source what its row shows, zero if it failed */
    spool_cancel *cancel;  /* or NULL */
} spool_images_options;

/*
 * Decodes n pictures into one batch, side by side: [n h w c], or [n c h w]. Options may be NULL. Pixels may be NULL
 * where the options have memory for them. Failures may be NULL; it is set to NULL when every picture was decoded, else
 * to JSON:
 * [{"index","file","class","code","op","library","library_code","text"}, ...] in the order of sources. The spec has to
 * give all pictures one size. Errors: SPOOL_OPTIONS and SPOOL_SHAPE, SPOOL_CANCELED, and with SPOOL_RAISE those of the
 * pictures.
 */
int32_t spool_decode_images(spool_image_spec *spec, const spool_source *sources, int64_t n,
                            const spool_images_options *options, spool_array **pixels, spool_array **failures,
                            spool_error *error);

/* ---- encode ---- */

/*
 * Makes a file of a picture: [h w c] with 1 (gray), 3 (RGB) or 4 channels (RGBA), or [h w], uint8, and for PNG uint16.
 * All of the view is read, as spool_array_describe fills it; memory may lie at any address, but without gaps. The array
 * is the file's bytes. Keys of the options: format jpeg|png|webp; quality 1 to 100; chroma 420|422|444, of JPEG;
 * lossless, of WebP; effort 1 to 12 (PNG), 6 (WebP) or 2 (JPEG). Cancel may be NULL. Errors: SPOOL_OPTIONS,
 * SPOOL_SHAPE, SPOOL_TOO_LARGE, SPOOL_CANCELED.
 */
int32_t spool_encode_image(const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                           spool_array **file, spool_error *error);

/*
 * Writes a picture to a file, which is there as a whole or not at all. Without a format it is that of the name's
 * ending. Errors: those of spool_encode_image, SPOOL_UNSUPPORTED for another ending, and those of writing.
 */
int32_t spool_write_image(const char *path, const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                          spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
