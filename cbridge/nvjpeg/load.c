#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "failure.h"

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

nvjpegStatus_t spool_nvjpeg_fail(const char *call, nvjpegStatus_t code, spool_nvjpeg_failure *f)
{
    if (code != NVJPEG_STATUS_SUCCESS) {
        f->code = code;
        copy(f->call, sizeof f->call, call);
    }
    return code;
}

/* The library is never unloaded: its own threads, and those of the CUDA runtime in it, run its code. */
int spool_nvjpeg_load(spool_nvjpeg *n, const char *file, int version[3], spool_nvjpeg_failure *f)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        copy(f->call, sizeof f->call, "dlopen");
        copy(f->text, sizeof f->text, dlerror());
        return -1;
    }
#define FIND(entry, ...)                                                                             \
    {                                                                                                \
        void *at = dlsym(library, #entry);                                                           \
        if (!at) {                                                                                   \
            copy(f->call, sizeof f->call, "dlsym");                                                  \
            copy(f->text, sizeof f->text, "no " #entry ": the library is older than CUDA 11");       \
            dlclose(library);                                                                        \
            return -1;                                                                               \
        }                                                                                            \
        memcpy(&n->entry, &at, sizeof at); /* ISO C has no casts from object to function pointers */ \
    }
    SPOOL_NVJPEG_ENTRIES(FIND)
#undef FIND
    for (int i = 0; i < 3; i++)
        if (spool_nvjpeg_fail("nvjpegGetProperty", n->nvjpegGetProperty(MAJOR_VERSION + i, &version[i]), f))
            return -1;
    return 0;
}
