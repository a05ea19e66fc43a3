/* Decoding and encoding of images. Programs include spool.h. */
#ifndef SPOOL_IMAGE_H
#define SPOOL_IMAGE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- image ---- */

/* Options for decoding images. It never changes, and may be used by any number of concurrent calls. */
typedef struct spool_image_spec spool_image_spec;

/*
 * Parses options for decoding images. Keys have the meaning and the defaults of `spool decode image`:
 *   size mode resize_shorter max_size crop filter profile color alpha dtype layout mean std orient icc frame accept
 *   fill pad_color jpeg isolate allow max_pixels max_bytes max_frames max_memory max_cpu
 * The keys for stores are those of spool_source. A size is "WxH" or [w, h].
 *
 * Additional keys for training:
 *  box           [left, top, width, height]: only this crop of the image
 *  random_scale  [a, b]: the area of a random crop, as in torchvision's RandomResizedCrop
 *  random_ratio  [a, b]: its aspect ratio; either key enables the random crop
 *  random_crop   padding as [left, top, right, bottom], or one value for all sides: the position of "crop" is random
 *  flip_x flip_y the probability of mirroring, left to right and top to bottom
 *  crops         "five" or "ten" crops of the size "crop", with their number in front of the shape
 *  augment       operations on pixels, in order: [{"op": "blur", "kernel": 9, "p": 0.5}, "randaugment:2,9"]; see
 *                docs/augmentation.md
 *
 * The random choices for an image depend only on seed, epoch and id, see spool_images_options, and equal those of the
 * loaders. Functions for a single image use seed 0, epoch 0 and id 0.
 */
int32_t spool_image_spec_new(const char *json, spool_image_spec **spec, spool_error *error);

void spool_image_spec_release(spool_image_spec *spec);

/* Describes a result; data is NULL. If the size depends on the image, ndim is 0. */
int32_t spool_image_spec_describe(spool_image_spec *spec, spool_array_view *view, spool_error *error);

/* The crop of the upright image that a result shows, in pixels of that image, mirrored according to the flips. */
typedef struct spool_region {
    double left, top, width, height;
    int32_t flip_x, flip_y;
} spool_region;

/* Information about a decoded image. */
typedef struct spool_image_report {
    int32_t width, height; /* as stored, before orientation */
    int32_t channels, bits;
    int32_t frames;      /* in the file; 0 if they were not counted */
    int32_t orientation; /* EXIF's, 1 to 8 */
    int32_t damaged;     /* 1: some of the image has the color "fill" */
    int32_t warnings;    /* anomalies that the library reported but decoded */
    double fraction;     /* the share of the image that was decoded; 1 for an undamaged image */
    spool_region region;
    int64_t shape[SPOOL_MAX_DIMS]; /* of the result: ndim of them, then zeros */
    int32_t ndim, reserved;
} spool_image_report;

/*
 * Decodes an image into a new array: [h w c], or with "layout": "nchw" [c h w]. With "frame": "all" the number of
 * frames is an additional first dimension. Cancel and report may be NULL. Errors: all errors of an input;
 * SPOOL_CANCELED.
 */
int32_t spool_decode_image(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel,
                           spool_array **array, spool_image_report *report, spool_error *error);

/*
 * Decodes an image into the caller's memory. size must be exactly the size of the result; any alignment is allowed. On
 * error the contents of out are unspecified. Errors: those of spool_decode_image, and SPOOL_SHAPE.
 */
int32_t spool_decode_image_into(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel, void *out,
                                size_t size, spool_image_report *report, spool_error *error);

/* Policies for images of a batch that cannot be decoded. */
enum {
    SPOOL_FAIL = 0,       /* the call fails, with the error of the first such image in the order of sources */
    SPOOL_SKIP = 1,       /* they are left out: the others fill the first rows, in order */
    SPOOL_PLACEHOLDER = 2 /* their rows are zero */
};

/* How to decode a batch of images. All fields except struct_size may be 0. */
typedef struct spool_images_options {
    uint32_t struct_size; /* sizeof(spool_images_options) */
    int32_t on_error;     /* SPOOL_FAIL, SPOOL_SKIP or SPOOL_PLACEHOLDER */
    int32_t threads;      /* images decoded at a time; 0: one for each core that the process may use */
    int32_t reserved;
    void *out;       /* memory for the batch; NULL: a new array is returned */
    size_t out_size; /* exactly the size of all n rows */
    uint64_t seed, epoch;
    const uint64_t *ids;   /* n of them, for the random choices; NULL: 0, 1, 2, ... */
    int32_t *statuses;     /* n of them, or NULL: SPOOL_OK or the error of each source; also filled on error */
    spool_region *regions; /* n of them, or NULL: the crop in each source's row; zero if it failed */
    spool_cancel *cancel;  /* or NULL */
} spool_images_options;

/*
 * Decodes n images into one batch: [n h w c], or [n c h w]. Options may be NULL. Pixels may be NULL if the options have
 * memory for the batch. Failures may be NULL. It is set to NULL if all images were decoded, and else to JSON:
 * [{"index","file","class","status","op","library","library_code","text"}, ...] in the order of sources. The spec must
 * give all images the same size. Errors: SPOOL_OPTIONS, SPOOL_SHAPE and SPOOL_CANCELED, and with SPOOL_FAIL those of
 * the images.
 */
int32_t spool_decode_images(spool_image_spec *spec, const spool_source *sources, int64_t n,
                            const spool_images_options *options, spool_array **pixels, spool_array **failures,
                            spool_error *error);

/* ---- encode ---- */

/*
 * Encodes an image: [h w c] with 1 (gray), 3 (RGB) or 4 channels (RGBA), or [h w]; of type uint8, and for PNG also
 * uint16. All fields of the view are used, as filled by spool_array_describe. The memory may have any alignment, but no
 * gaps. The array holds the bytes of the file. Keys of the options: format jpeg|png|webp|avif; quality 1 to
 * 100; chroma 420|422|444, of JPEG; lossless, of WebP; effort 1 to 12 (PNG), 6 (WebP, AVIF) or 2 (JPEG). Cancel may be
 * NULL. Errors: SPOOL_OPTIONS, SPOOL_SHAPE, SPOOL_TOO_LARGE, SPOOL_UNSUPPORTED without an encoder of AVIF,
 * SPOOL_CANCELED.
 */
int32_t spool_encode_image(const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                           spool_array **file, spool_error *error);

/*
 * Writes an image to a file atomically: the file is complete, or not written at all. Without a format, the extension of
 * the name selects it. Errors: those of spool_encode_image, SPOOL_UNSUPPORTED for other extensions, and those of
 * writing.
 */
int32_t spool_write_image(const char *path, const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                          spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
