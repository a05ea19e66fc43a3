#include <lcms2.h>
#include <stdlib.h>

#include "account.h"
#include "icc.h"

enum { GRAYS = 256, LEVELS = 6, PROBES = GRAYS + LEVELS * LEVELS * LEVELS };

/*
 * Reports whether the profile is for the color space of the rows. Links, abstract and named-color profiles are
 * rejected, as they have other meanings. So are DToB0 tags, which hold programs of any length that would run for every
 * point of a table.
 */
static int fits(cmsHPROFILE profile, int color)
{
    static const cmsColorSpaceSignature spaces[] = {
        [SPOOL_ICC_GRAY] = cmsSigGrayData, [SPOOL_ICC_RGB] = cmsSigRgbData, [SPOOL_ICC_CMYK] = cmsSigCmykData};
    if (cmsGetColorSpace(profile) != spaces[color] || cmsIsTag(profile, cmsSigDToB0Tag))
        return 0;
    switch (cmsGetDeviceClass(profile)) {
    case cmsSigInputClass:
    case cmsSigDisplayClass:
    case cmsSigOutputClass:
    case cmsSigColorSpaceClass:
        return 1;
    default:
        return 0;
    }
}

/* Returns gray with the sRGB curve (IEC 61966-2-1). */
static cmsHPROFILE gray_profile(cmsContext context)
{
    const cmsFloat64Number srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *curve = cmsBuildParametricToneCurve(context, 4, srgb);
    if (!curve)
        return NULL;
    cmsHPROFILE profile = cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
    cmsFreeToneCurve(curve);
    return profile;
}

static cmsHTRANSFORM between(cmsContext context, cmsHPROFILE from, cmsHPROFILE to, const spool_icc_rows *rows)
{
    const cmsUInt32Number bytes = BYTES_SH(rows->bits / 8);
    cmsUInt32Number in, out, flags = 0;
    switch (rows->color) {
    case SPOOL_ICC_GRAY:
        in = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(rows->channels - 1) | bytes;
        out = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | bytes;
        break;
    case SPOOL_ICC_RGB:
        in = out = COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | EXTRA_SH(rows->channels - 3) | bytes;
        flags = rows->channels > 3 ? cmsFLAGS_COPY_ALPHA : 0;
        break;
    default:
        in = COLORSPACE_SH(PT_CMYK) | CHANNELS_SH(4) | bytes;
        out = COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | bytes;
    }
    /*
     * For 8 bits, lcms converts a matrix profile to exact arithmetic, and a table profile to a table after fitted
     * curves. For 16 bits it would use a table without curves for both, with errors of up to 16 of 255 levels.
     */
    if (rows->bits == 16)
        flags |= cmsIsMatrixShaper(from) ? cmsFLAGS_NOOPTIMIZE : cmsFLAGS_CLUT_PRE_LINEARIZATION;
    return cmsCreateTransformTHR(context, from, in, to, out, INTENT_PERCEPTUAL, flags);
}

/* Returns a probe color: all grays, then a grid of colors. */
static void probe(uint8_t color[3], int i)
{
    if (i < GRAYS) {
        color[0] = color[1] = color[2] = (uint8_t)i;
        return;
    }
    i -= GRAYS;
    for (int c = 0; c < 3; c++, i /= LEVELS)
        color[c] = (uint8_t)(i % LEVELS * (255 / (LEVELS - 1)));
}

/* Reports whether the transform changes no probe by more than one 8-bit level. */
static int identity(cmsHTRANSFORM transform, const spool_icc_rows *rows)
{
    const int gray = rows->color == SPOOL_ICC_GRAY, outputs = gray ? 1 : rows->channels;
    uint16_t in[4] = {0}, out[4] = {0}; /* 8-bit samples use half of them */
    for (int i = 0; i < (gray ? GRAYS : PROBES); i++) {
        uint8_t color[4];
        probe(color, i);
        color[3] = 255;
        for (int c = 0; c < rows->channels; c++)
            if (rows->bits == 8)
                ((uint8_t *)in)[c] = color[c];
            else
                in[c] = (uint16_t)(color[c] * 257);
        cmsDoTransform(transform, in, out, 1);
        for (int c = 0; c < outputs && c < 3; c++) {
            const int apart = rows->bits == 8 ? 257 * (((uint8_t *)out)[c] - color[c]) : out[c] - in[c];
            if (abs(apart) > 257)
                return 0;
        }
    }
    return 1;
}

static int open_profile(spool_icc_transform *t, const spool_icc_rows *rows, const void *profile, size_t size)
{
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(t->context, profile, (cmsUInt32Number)size);
    if (!from)
        return SPOOL_ICC_BROKEN;
    int code = SPOOL_ICC_UNFIT;
    if (fits(from, rows->color)) {
        cmsHPROFILE to =
            rows->color == SPOOL_ICC_GRAY ? gray_profile(t->context) : cmsCreate_sRGBProfileTHR(t->context);
        t->lcms = to ? between(t->context, from, to, rows) : NULL;
        if (to)
            cmsCloseProfile(to);
        code = t->lcms ? SPOOL_ICC_OK : SPOOL_ICC_BROKEN;
    }
    cmsCloseProfile(from);
    if (code == SPOOL_ICC_OK && rows->color != SPOOL_ICC_CMYK && identity(t->lcms, rows))
        code = SPOOL_ICC_IDENTITY;
    return code;
}

int spool_icc_open(spool_icc_transform *t, const spool_icc_rows *rows, const void *profile, size_t size,
                   int64_t max_memory)
{
    int code = SPOOL_ICC_BROKEN;
    t->account.limit = max_memory;
    spool_icc_charge(&t->account);
    t->context = spool_icc_context();
    if (t->context)
        code = open_profile(t, rows, profile, size);
    spool_icc_charge(NULL);
    if (code == SPOOL_ICC_OK)
        return code;
    spool_icc_close(t);
    if (t->account.refused)
        return t->account.refused == 1 ? SPOOL_ICC_TOO_LARGE : SPOOL_ICC_NO_MEMORY;
    return code;
}

void spool_icc_close(spool_icc_transform *t)
{
    spool_icc_charge(&t->account);
    if (t->lcms)
        cmsDeleteTransform(t->lcms);
    if (t->context)
        cmsDeleteContext(t->context);
    spool_icc_settle();
    spool_icc_charge(NULL);
    t->lcms = t->context = NULL;
}
