#include <dlfcn.h>
#include <string.h>

#include "control.h"

int fake_nvjpeg_load(fake_nvjpeg_library *l, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *found[2];

    if (!library)
        return -1;
    found[0] = dlsym(library, "fake_nvjpeg_reset");
    found[1] = dlsym(library, "fake_nvjpeg_count");
    if (!found[0] || !found[1])
        return -1;
    _Static_assert(sizeof found == sizeof *l, "a name for each function");
    memcpy(l, found, sizeof found);
    return 0;
}

int fake_nvjpeg_call_reset(const fake_nvjpeg_library *l, const fake_nvjpeg_settings *s)
{
    return l->reset(s);
}

void fake_nvjpeg_call_count(const fake_nvjpeg_library *l, fake_nvjpeg_counters *out)
{
    l->count(out);
}
