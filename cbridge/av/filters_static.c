//go:build spool_static

/*
 * The filters of libraries that are linked statically (tools/sdk): those for preparing training data. FFmpeg's own table,
 * which this one replaces, would link all 400 of them, 4 MB. Filters that read files by name are left out.
 */
#include <string.h>

#include <libavfilter/avfilter.h>

#define FILTERS(FILTER)                                                                                              \
    FILTER(vf_alphaextract) FILTER(vf_alphamerge) FILTER(vf_avgblur) FILTER(vf_blackdetect) FILTER(vf_blend)         \
    FILTER(vf_bwdif) FILTER(vf_chromakey) FILTER(vf_chromashift) FILTER(vf_colorbalance)                             \
    FILTER(vf_colorchannelmixer) FILTER(vf_colorkey) FILTER(vf_colorlevels) FILTER(vf_colorspace) FILTER(vf_copy)    \
    FILTER(vf_crop) FILTER(vf_curves) FILTER(vf_decimate) FILTER(vf_deflicker) FILTER(vf_dilation)                   \
    FILTER(vf_drawbox) FILTER(vf_edgedetect) FILTER(vf_erosion) FILTER(vf_extractplanes) FILTER(vf_fade)             \
    FILTER(vf_fieldorder) FILTER(vf_fillborders) FILTER(vf_format) FILTER(vf_fps) FILTER(vf_framerate)               \
    FILTER(vf_framestep) FILTER(vf_freezedetect) FILTER(vf_gblur) FILTER(vf_geq) FILTER(vf_hflip)                    \
    FILTER(vf_histogram) FILTER(vf_hstack) FILTER(vf_hue) FILTER(vf_idet) FILTER(vf_il) FILTER(vf_interleave)        \
    FILTER(vf_lenscorrection) FILTER(vf_loop) FILTER(vf_lut) FILTER(vf_lut3d) FILTER(vf_lutrgb) FILTER(vf_lutyuv)    \
    FILTER(vf_median) FILTER(vf_mergeplanes) FILTER(vf_metadata) FILTER(vf_minterpolate) FILTER(vf_negate)           \
    FILTER(vf_nlmeans) FILTER(vf_noformat) FILTER(vf_noise) FILTER(vf_normalize) FILTER(vf_null) FILTER(vf_overlay)  \
    FILTER(vf_pad) FILTER(vf_palettegen) FILTER(vf_paletteuse) FILTER(vf_premultiply) FILTER(vf_psnr)                \
    FILTER(vf_random) FILTER(vf_reverse) FILTER(vf_rgbashift) FILTER(vf_rotate) FILTER(vf_scale) FILTER(vf_scdet)    \
    FILTER(vf_select) FILTER(vf_separatefields) FILTER(vf_setdar) FILTER(vf_setfield) FILTER(vf_setparams)           \
    FILTER(vf_setpts) FILTER(vf_setrange) FILTER(vf_setsar) FILTER(vf_settb) FILTER(vf_showinfo)                     \
    FILTER(vf_shuffleframes) FILTER(vf_shuffleplanes) FILTER(vf_signalstats) FILTER(vf_split) FILTER(vf_ssim)        \
    FILTER(vf_swapuv) FILTER(vf_tblend) FILTER(vf_telecine) FILTER(vf_thumbnail) FILTER(vf_tile) FILTER(vf_tmix)     \
    FILTER(vf_tonemap) FILTER(vf_tpad) FILTER(vf_transpose) FILTER(vf_trim) FILTER(vf_unpremultiply)                 \
    FILTER(vf_unsharp) FILTER(vf_vflip) FILTER(vf_vignette) FILTER(vf_vstack) FILTER(vf_weave) FILTER(vf_xfade)      \
    FILTER(vf_xstack) FILTER(vf_yadif) FILTER(vf_zoompan) FILTER(af_acompressor) FILTER(af_acopy)                    \
    FILTER(af_acrossfade) FILTER(af_adelay) FILTER(af_aecho) FILTER(af_afade) FILTER(af_afftdn) FILTER(af_aformat)   \
    FILTER(af_alimiter) FILTER(af_aloop) FILTER(af_amerge) FILTER(af_ametadata) FILTER(af_amix) FILTER(af_anull)     \
    FILTER(af_apad) FILTER(af_aphaser) FILTER(af_aresample) FILTER(af_areverse) FILTER(af_aselect)                   \
    FILTER(af_asetnsamples) FILTER(af_asetpts) FILTER(af_asetrate) FILTER(af_asettb) FILTER(af_ashowinfo)            \
    FILTER(af_asoftclip) FILTER(af_asplit) FILTER(af_astats) FILTER(af_atempo) FILTER(af_atrim) FILTER(af_bandpass)  \
    FILTER(af_bandreject) FILTER(af_bass) FILTER(af_channelmap) FILTER(af_channelsplit) FILTER(af_chorus)            \
    FILTER(af_compand) FILTER(af_dcshift) FILTER(af_dynaudnorm) FILTER(af_ebur128) FILTER(af_equalizer)              \
    FILTER(af_firequalizer) FILTER(af_flanger) FILTER(af_highpass) FILTER(af_highshelf) FILTER(af_join)              \
    FILTER(af_loudnorm) FILTER(af_lowpass) FILTER(af_lowshelf) FILTER(af_pan) FILTER(af_sidechaincompress)           \
    FILTER(af_silencedetect) FILTER(af_silenceremove) FILTER(af_speechnorm) FILTER(af_treble) FILTER(af_tremolo)     \
    FILTER(af_vibrato) FILTER(af_volume) FILTER(af_volumedetect) FILTER(avf_concat) FILTER(avf_showspectrum)         \
    FILTER(avf_showspectrumpic) FILTER(avf_showwaves) FILTER(vsrc_buffer) FILTER(vsrc_color) FILTER(vsrc_nullsrc)    \
    FILTER(vsrc_testsrc) FILTER(vsrc_testsrc2) FILTER(asrc_abuffer) FILTER(asrc_anoisesrc) FILTER(asrc_anullsrc)     \
    FILTER(asrc_sine) FILTER(vsink_buffer) FILTER(vsink_nullsink) FILTER(asink_abuffer) FILTER(asink_anullsink)

#define DECLARE(name) extern const AVFilter ff_##name;
FILTERS(DECLARE)

#define ADDRESS(name) &ff_##name,
static const AVFilter *const filters[] = {FILTERS(ADDRESS) NULL};

const AVFilter *av_filter_iterate(void **opaque)
{
    const size_t i = (size_t)*opaque;
    const AVFilter *f = filters[i];

    if (f)
        *opaque = (void *)(i + 1);
    return f;
}

const AVFilter *avfilter_get_by_name(const char *name)
{
    for (size_t i = 0; name && filters[i]; i++)
        if (strcmp(filters[i]->name, name) == 0)
            return filters[i];
    return NULL;
}
