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

/* Whether the file is still the one that the canvas was made for. */
static int is_canvas_of(const spool_png_animation *animation, const spool_png_picture *picture)
{
    return animation->width == picture->width && animation->height == picture->height &&
           animation->channels == channels_of(picture->color, picture->transparency != NULL);
}

static int is_inside(const spool_png_control *control, const spool_png_picture *picture)
{
    const uint32_t width = picture->width, height = picture->height;
    return 0 < control->width && control->width <= width && control->x <= width - control->width &&
           0 < control->height && control->height <= height && control->y <= height - control->height;
}

static int read_control(spool_png_animation *animation, const spool_png_chunk *chunk, const spool_png_picture *picture,
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
    if (!is_inside(control, picture) || control->dispose > SPOOL_PNG_RESTORE || p[25] > 1)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "frame %u: impossible fcTL chunk", animation->next);
    return SPOOL_PNG_OK;
}

/* Where the first frame is: the picture that other decoders see. It may have no part in the animation. */
static int find_first(spool_png_animation *animation, spool_png_frame *frame, spool_png_control *control)
{
    const spool_png_picture *picture = frame->picture;
    frame->at = picture->pixels;
    frame->name = SPOOL_PNG_IDAT;
    *control = (spool_png_control){.width = picture->width, .height = picture->height};
    if (picture->control.length == 0)
        return SPOOL_PNG_OK;
    const int status = read_control(animation, &picture->control, picture, control, frame->report);
    if (status != SPOOL_PNG_OK)
        return status;
    if (control->width != (uint32_t)picture->width || control->height != (uint32_t)picture->height)
        return spool_png_fail(frame->report, SPOOL_PNG_CORRUPT, "a first frame that is a part of the picture");
    control->over = 0;
    if (control->dispose == SPOOL_PNG_RESTORE) /* there is nothing to come back to */
        control->dispose = SPOOL_PNG_CLEAR;
    return SPOOL_PNG_OK;
}

/* Whether the chunks of pixels from frame->at on are in sequence, and which number comes after them. */
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
            const int status = read_control(animation, &chunk, frame->picture, control, frame->report);
            if (status != SPOOL_PNG_OK)
                return status;
            controlled = 1;
        }
    }
}

/*
 * Puts the frame onto the canvas. Pillow takes a transparent gray for an opaque one here, and with it what it was
 * compared with.
 */
static int compose(spool_png_animation *animation, spool_png_frame *frame, const spool_png_control *control)
{
    const int over = control->over && animation->channels == 4 && frame->picture->color != SPOOL_PNG_GRAY;
    spool_png_picture part = *frame->picture;
    spool_png_canvas canvas;
    uint8_t *above = over ? malloc((size_t)control->width * 4) : NULL;
    if (over && above == NULL)
        return SPOOL_PNG_NO_MEMORY;
    spool_png_dispose(animation);
    if (control->dispose == SPOOL_PNG_RESTORE)
        memcpy(animation->pixels + animation->bytes, animation->pixels, animation->bytes);
    part.width = control->width;
    part.height = control->height;
    frame->picture = &part;
    frame->sink = spool_png_canvas_init(&canvas, animation, control, above);
    const int status = spool_png_read_frame(frame, &animation->at);
    free(above);
    frame->report->rows = 0; /* these were the frame's */
    animation->last = *control;
    animation->next++;
    return status;
}

/* The canvas as if it were stored. */
static int deliver(spool_png_animation *animation, const spool_png_picture *picture, const spool_png_options *options,
                   spool_sink *sink, spool_png_report *report)
{
    spool_png_expander expander;
    if (!spool_png_expander_init_canvas(&expander, picture, animation->channels, options->channels))
        return SPOOL_PNG_SHAPE;
    spool_png_frame frame = {.picture = picture, .expander = &expander, .sink = sink, .report = report};
    return spool_png_deliver(&frame, animation->pixels, (ptrdiff_t)animation->row_bytes, picture->height);
}

int spool_png_animation_next(spool_png_animation *animation, const uint8_t *data, size_t size,
                             const spool_png_options *options, spool_sink *sink, uint8_t *dst, size_t dst_size,
                             size_t stride, const int32_t *flag, spool_png_report *report)
{
    const int wanted = sink != NULL || dst != NULL;
    spool_png_picture picture;
    spool_png_expander expander;
    spool_png_memory memory;
    spool_png_control control;
    int status = spool_png_read_picture(&picture, data, size, report);
    report->width = picture.width;
    report->height = picture.height;
    if (status != SPOOL_PNG_OK)
        return status;
    if (!is_canvas_of(animation, &picture) || (wanted && options->bits != 8))
        return SPOOL_PNG_SHAPE;
    if (wanted && spool_png_choose_sink(&picture, options, &sink, &memory, dst, dst_size, stride) != SPOOL_PNG_OK)
        return SPOOL_PNG_SHAPE;
    if (animation->next >= picture.frames + (picture.control.length == 0))
        return SPOOL_PNG_NO_FRAME;
    spool_png_expander_init(&expander, &picture, animation->channels, 8);
    spool_png_frame frame = {
        .picture = &picture,
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
    return wanted ? deliver(animation, &picture, options, sink, report) : SPOOL_PNG_OK;
}
