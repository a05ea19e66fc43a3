#include <libavutil/pixdesc.h>

#include "pixelformat.h"

static void describe_planes(const AVPixFmtDescriptor *d, spool_av_pixel_format *f)
{
    const AVComponentDescriptor *luma = &d->comp[0], *u = &d->comp[1], *v = &d->comp[2];
    const int bytes = (luma->depth + luma->shift + 7) / 8;

    if (d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BE |
                    AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT))
        return;
    if (luma->plane != 0 || luma->offset != 0 || luma->step != bytes)
        return;
    f->components = d->nb_components;
    f->shift = luma->shift;
    f->sub_x = f->sub_y = 1;
    if (d->nb_components == 1) {
        f->planar = 1;
        return;
    }
    if (d->nb_components != 3 || u->depth != luma->depth || v->depth != luma->depth || u->shift != luma->shift ||
        v->shift != luma->shift)
        return;
    f->sub_x = 1 << d->log2_chroma_w;
    f->sub_y = 1 << d->log2_chroma_h;
    if (u->plane == 1 && v->plane == 2 && u->step == bytes && v->step == bytes && u->offset == 0 && v->offset == 0) {
        f->planar = 1;
    } else if (u->plane == 1 && v->plane == 1 && u->step == 2 * bytes && v->step == 2 * bytes) {
        f->planar = 1;
        f->paired = u->offset == 0 ? 1 : 2;
    }
}

void spool_av_pixel_format_describe(int format, spool_av_pixel_format *f)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);

    *f = (spool_av_pixel_format){0};
    if (!d || d->flags & AV_PIX_FMT_FLAG_HWACCEL)
        return;
    for (int i = 0; i < d->nb_components; i++)
        if (d->comp[i].depth > f->depth)
            f->depth = d->comp[i].depth;
    describe_planes(d, f);
}

int spool_av_pixel_format_named(const char *name)
{
    return av_get_pix_fmt(name);
}

/* Reports whether the format implies full range. Formats of devices have no components, and imply nothing. */
static int means_full(int format)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);

    switch (format) {
    case AV_PIX_FMT_YUVJ411P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P:
        return 1;
    default:
        return d && d->nb_components > 0 && d->nb_components < 3 &&
               !(d->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_FLOAT));
    }
}

int spool_av_is_full(int format, int range)
{
    const int tagged = range == AVCOL_RANGE_JPEG;

    if (!means_full(format))
        return tagged;
    return FILTERS_HAVE_COLOR || range == AVCOL_RANGE_UNSPECIFIED || tagged;
}
