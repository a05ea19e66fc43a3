#include "graph.h"

#include <stdio.h>
#include <string.h>

#include <libavfilter/avfilter.h>
#include <libavutil/avstring.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>

/*
 * Filters that always open a file, a library, a socket or a font, and those whose commands set such an option of
 * another filter.
 */
static const char *const openers = "movie,amovie,sendcmd,asendcmd,zmq,azmq,ladspa,lv2,frei0r,frei0r_src,subtitles,ass,"
                                   "drawtext,qrencode,qrencodesrc,showcqt,ocr,asr,whisper,lensfun,nnedi,"
                                   "vidstabdetect,vidstabtransform,removelogo,derain,sr,dnn_detect,dnn_classify,"
                                   "dnn_processing,openclsrc,program_opencl,xfade_opencl,drawvg";

/* Options that name a file, in whatever filter. */
static const char *const names =
    "file,filename,textfile,fontfile,fontsdir,axisfile,dumpfile,psfile,plot,stats_file,log_path,log_file,logfn,model,"
    "model_path,labels,hint,cover,object,sofa,debug_kdtree,custom_shader_path,custom_shader_bin,shader_cache,shader,"
    "destination,datapath,db_path,weights_file,plugin,library,bind_address,source_file";

/*
 * Reports whether an option of a filter, by any of its names, names a file. Since 6.1, FFmpeg reads the value of
 * "/NAME" from a file.
 */
static int opens(const AVClass *class, const char *name)
{
    const AVOption *named = NULL, *o = NULL;

    if (*name == '/' || av_match_list(name, names, ','))
        return 1;
    while (class && (o = av_opt_next(&class, o)))
        if (!strcmp(o->name, name))
            named = o;
    while (named && named->type == AV_OPT_TYPE_STRING && (o = av_opt_next(&class, o)))
        if (o->offset == named->offset && o->type == named->type && av_match_list(o->name, names, ','))
            return 1;
    return 0;
}

/* Checks the options of a filter. Like FFmpeg, it takes those without a name in the order of the filter's options. */
static int check_options(const AVFilter *filter, const char *args, char *complaint, size_t room)
{
    const AVClass *class = filter->priv_class;
    const AVOption *o = NULL;
    int offset = -1, ordered = 1, code = 0;

    while (args && *args && code >= 0) {
        char *key = NULL, *value = NULL;
        while (class && ordered && (o = av_opt_next(&class, o)) &&
               (o->type == AV_OPT_TYPE_CONST || o->offset == offset))
            ;
        const char *implied = class && ordered && o ? o->name : NULL;
        if (implied)
            offset = o->offset;
        code = av_opt_get_key_value(&args, "=", ":", implied ? AV_OPT_FLAG_IMPLICIT_KEY : 0, &key, &value);
        if (code < 0)
            break; /* FFmpeg refuses it too */
        if (key)
            ordered = 0;
        if (opens(class, key ? key : implied)) {
            snprintf(complaint, room, "the option %s of the filter %s, which opens a file,", key ? key : implied,
                     filter->name);
            code = AVERROR(EPERM);
        }
        if (*args)
            args++;
        av_free(key);
        av_free(value);
    }
    return code;
}

static int check_filter(char *name, const char *args, char *complaint, size_t room)
{
    name[strcspn(name, "@")] = '\0'; /* the name of the instance */
    const AVFilter *filter = avfilter_get_by_name(name);
    if (!filter)
        return AVERROR_FILTER_NOT_FOUND;
    if (av_match_list(name, openers, ',')) {
        snprintf(complaint, room, "the filter %s, which opens files,", name);
        return AVERROR(EPERM);
    }
    return check_options(filter, args, complaint, room);
}

static const char *const spaces = " \n\t\r";

/* Skips the labels of pads. */
static int skip_labels(const char **at)
{
    for (*at += strspn(*at, spaces); **at == '['; *at += strspn(*at, spaces)) {
        ++*at;
        char *label = av_get_token(at, "]");
        if (!label)
            return AVERROR(ENOMEM);
        av_free(label);
        if (**at != ']')
            return AVERROR(EINVAL);
        ++*at;
    }
    return 0;
}

int spool_av_graph_opens(const char *description, char *complaint, size_t room)
{
    const char *at = description + strspn(description, spaces);

    if (av_strstart(at, "sws_flags=", &at)) {
        at += strcspn(at, ";");
        at += *at == ';';
    }
    for (;;) {
        int code = skip_labels(&at);
        char *name = code < 0 ? NULL : av_get_token(&at, "=,;[");
        char *args = NULL;
        if (code >= 0 && !name)
            code = AVERROR(ENOMEM);
        if (code >= 0 && *at == '=') {
            at++;
            args = av_get_token(&at, "[],;");
            code = args ? 0 : AVERROR(ENOMEM);
        }
        if (code >= 0)
            code = check_filter(name, args, complaint, room);
        av_free(name);
        av_free(args);
        if (code >= 0)
            code = skip_labels(&at);
        if (code < 0 || !*at)
            return code;
        if (*at != ',' && *at != ';')
            return AVERROR(EINVAL);
        at++;
        at += strspn(at, spaces);
        if (!*at)
            return 0;
    }
}
