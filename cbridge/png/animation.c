#include "animation.h"

#include <stdlib.h>
#include <string.h>

static int channels_of(int color, int transparent)
{
    if (transparent || color == SPOOL_PNG_GRAY_ALPHA || color == SPOOL_PNG_RGBA)
        return 4;
    return color == SPOOL_PNG_GRAY ? 1 : 3;
}

size_t spool_png_animation_bytes(const spool_png_header *header)
{
    const size_t canvas = (size_t)header->width * header->height * channels_of(header->color, header->transparent);
    return sizeof(spool_png_animation) + 2 * canvas;
}

void spool_png_animation_init(spool_png_animation *animation, const spool_png_header *header)
{
    const int channels = channels_of(header->color, header->transparent);
    *animation = (spool_png_animation){.width = header->width, .height = header->height, .channels = channels};
    animation->row_bytes = (size_t)header->width * channels;
    animation->bytes = animation->row_bytes * header->height;
}

/* Whether the file still matches the canvas. */
static int is_canvas_of(const spool_png_animation *animation, const spool_png_image *image)
{
    return animation->width == image->width && animation->height == image->height &&
           animation->channels == channels_of(image->color, image->transparency != NULL);
}

static int is_inside(const spool_png_control *control, const spool_png_image *image)
{
    const uint32_t width = image->width, height = image->height;
    return 0 < control->width && control->width <= width && control->x <= width - control->width &&
           0 < control->height && control->height <= height && control->y <= height - control->height;
}

static int read_control(spool_png_animation *animation, const spool_png_chunk *chunk, const spool_png_image *image,
                        spool_png_control *control, spool_png_report *report)
{
    const uint8_t *p = chunk->data;
    if (chunk->length < 26 || !spool_png_intact(chunk))
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "frame %u: damaged fcTL chunk", animation->next);
    if (spool_png_u32(p) != animation->sequence++)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "frame %u: chunks out of sequence", animation->next);
    *control = (spool_png_control){
        .width = spool_png_u32(p + 4),
        .height = spool_png_u32(p + 8),
        .x = spool_png_u32(p + 12),
        .y = spool_png_u32(p + 16),
        .dispose = p[24],
        .over = p[25] == 1,
    };
    if (!is_inside(control, image) || control->dispose > SPOOL_PNG_RESTORE || p[25] > 1)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "frame %u: impossible fcTL chunk", animation->next);
    return SPOOL_PNG_OK;
}

/* Finds the first frame: the image that other decoders show. It need not be part of the animation. */
static int find_first(spool_png_animation *animation, spool_png_frame *frame, spool_png_control *control)
{
    const spool_png_image *image = frame->image;
    frame->at = image->pixels;
    frame->name = SPOOL_PNG_IDAT;
    *control = (spool_png_control){.width = image->width, .height = image->height};
    if (image->control.length == 0)
        return SPOOL_PNG_OK;
    const int status = read_control(animation, &image->control, image, control, frame->report);
    if (status != SPOOL_PNG_OK)
        return status;
    if (control->width != (uint32_t)image->width || control->height != (uint32_t)image->height)
        return spool_png_fail(frame->report, SPOOL_PNG_CORRUPT, "a first frame that does not cover the image");
    control->over = 0;
    if (control->dispose == SPOOL_PNG_RESTORE) /* there is no earlier canvas to restore */
        control->dispose = SPOOL_PNG_CLEAR;
    return SPOOL_PNG_OK;
}

/* Checks the sequence of the pixel chunks from frame->at on, and counts them. */
static int check_sequence(spool_png_animation *animation, const spool_png_frame *frame)
{
    spool_png_file file = {frame->data, frame->size, frame->at};
    spool_png_chunk chunk;
    while (spool_png_next_chunk(&file, &chunk) != SPOOL_PNG_CHUNK_NONE && chunk.name == SPOOL_PNG_fdAT) {
        if (chunk.there < 4)
            break;
        if (spool_png_u32(chunk.data) != animation->sequence++)
            return spool_png_fail(frame->report, SPOOL_PNG_CORRUPT, "frame %u: chunks out of sequence",
                                  animation->next);
    }
    return SPOOL_PNG_OK;
}

static int find_next(spool_png_animation *animation, spool_png_frame *frame, spool_png_control *control)
{
    spool_png_file file = {frame->data, frame->size, animation->at};
    int controlled = 0;
    for (spool_png_chunk chunk;;) {
        const int found = spool_png_next_chunk(&file, &chunk);
        if (found == SPOOL_PNG_CHUNK_NONE || chunk.name == SPOOL_PNG_IEND)
            return spool_png_fail(frame->report, SPOOL_PNG_CORRUPT, "no frame %u", animation->next);
        if (controlled && chunk.name == SPOOL_PNG_fdAT) {
            frame->at = chunk.at;
            frame->name = SPOOL_PNG_fdAT;
            return check_sequence(animation, frame);
        }
        if (found == SPOOL_PNG_CHUNK_CUT)
            return spool_png_fail(frame->report, SPOOL_PNG_TRUNCATED, "the data end before frame %u", animation->next);
        if (chunk.name == SPOOL_PNG_fcTL) {
            const int status = read_control(animation, &chunk, frame->image, control, frame->report);
            if (status != SPOOL_PNG_OK)
                return status;
            controlled = 1;
        }
    }
}

/*
 * Draws the frame onto the canvas. Pillow composes gray with a transparent value as if it were opaque, and so does this
 * function.
 */
static int compose(spool_png_animation *animation, spool_png_frame *frame, const spool_png_control *control)
{
    const int over = control->over && animation->channels == 4 && frame->image->color != SPOOL_PNG_GRAY;
    spool_png_image part = *frame->image;
    spool_png_canvas canvas;
    uint8_t *above = over ? malloc((size_t)control->width * 4) : NULL;
    if (over && above == NULL)
        return SPOOL_PNG_NO_MEMORY;
    spool_png_dispose(animation);
    if (control->dispose == SPOOL_PNG_RESTORE)
        memcpy(animation->pixels + animation->bytes, animation->pixels, animation->bytes);
    part.width = control->width;
    part.height = control->height;
    frame->image = &part;
    frame->sink = spool_png_canvas_init(&canvas, animation, control, above);
    const int status = spool_png_read_frame(frame, &animation->at);
    free(above);
    frame->report->rows = 0; /* counted the rows of the frame */
    animation->last = *control;
    animation->next++;
    return status;
}

/* Delivers the canvas like a stored image. */
static int deliver(spool_png_animation *animation, const spool_png_image *image, const spool_png_options *options,
                   spool_sink *sink, spool_png_report *report)
{
    spool_png_expander expander;
    if (!spool_png_expander_init_canvas(&expander, image, animation->channels, options->channels))
        return SPOOL_PNG_SHAPE;
    spool_png_frame frame = {.image = image, .expander = &expander, .sink = sink, .report = report};
    return spool_png_deliver(&frame, animation->pixels, (ptrdiff_t)animation->row_bytes, image->height);
}

int spool_png_animation_next(spool_png_animation *animation, const uint8_t *data, size_t size,
                             const spool_png_options *options, spool_sink *sink, uint8_t *dst, size_t dst_size,
                             size_t stride, const int32_t *flag, spool_png_report *report)
{
    const int wanted = sink != NULL || dst != NULL;
    spool_png_image image;
    spool_png_expander expander;
    spool_png_memory memory;
    spool_png_control control;
    int status = spool_png_read_image(&image, data, size, report);
    report->width = image.width;
    report->height = image.height;
    if (status != SPOOL_PNG_OK)
        return status;
    if (!is_canvas_of(animation, &image) || (wanted && options->bits != 8))
        return SPOOL_PNG_SHAPE;
    if (wanted && spool_png_choose_sink(&image, options, &sink, &memory, dst, dst_size, stride) != SPOOL_PNG_OK)
        return SPOOL_PNG_SHAPE;
    if (animation->next >= image.frames + (image.control.length == 0))
        return SPOOL_PNG_NO_FRAME;
    spool_png_expander_init(&expander, &image, animation->channels, 8);
    spool_png_frame frame = {
        .image = &image,
        .data = data,
        .size = size,
        .options = options,
        .flag = flag,
        .report = report,
        .expander = &expander,
    };
    const uint8_t stored[8] = {0};
    if (expander.row != NULL)
        expander.row(&expander, stored, animation->zero, 1);
    status = animation->next == 0 ? find_first(animation, &frame, &control) : find_next(animation, &frame, &control);
    if (status == SPOOL_PNG_OK)
        status = compose(animation, &frame, &control);
    if (status != SPOOL_PNG_OK)
        return status;
    if (!report->damaged)
        report->fraction = 1;
    return wanted ? deliver(animation, &image, options, sink, report) : SPOOL_PNG_OK;
}
