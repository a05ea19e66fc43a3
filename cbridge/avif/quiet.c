#define _GNU_SOURCE
#include <dlfcn.h>

#include <dav1d/dav1d.h>

/*
 * libavif 0.11 opens dav1d with the settings that this gives, and dav1d's own print what is wrong with a
 * file to stderr, where only we are to speak. This stands before dav1d's function for everybody in the
 * process; who wants messages sets a logger afterwards, as FFmpeg does.
 */
void dav1d_default_settings(Dav1dSettings *settings)
{
    void (*theirs)(Dav1dSettings *) = (void (*)(Dav1dSettings *))dlsym(RTLD_NEXT, "dav1d_default_settings");
    theirs(settings);
    settings->logger.callback = NULL;
}
