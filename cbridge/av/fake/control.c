#include <dlfcn.h>
#include <string.h>

#include "control.h"

int fake_nvcuvid_load(fake_nvcuvid_library *l, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *found[2];

    if (!library)
        return -1;
    found[0] = dlsym(library, "fake_nvcuvid_reset");
    found[1] = dlsym(library, "fake_nvcuvid_count");
    if (!found[0] || !found[1])
        return -1;
    _Static_assert(sizeof found == sizeof *l, "a name for each function");
    memcpy(l, found, sizeof found);
    return 0;
}

int fake_nvcuvid_call_reset(const fake_nvcuvid_library *l, const fake_nvcuvid_settings *s)
{
    return l->reset(s);
}

void fake_nvcuvid_call_count(const fake_nvcuvid_library *l, fake_nvcuvid_counters *out)
{
    l->count(out);
}
