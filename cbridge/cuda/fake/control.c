#include <dlfcn.h>
#include <string.h>

#include "control.h"

int fake_load(fake_library *l, const char *file)
{
    static const char *const names[] = {"fake_reset",   "fake_count", "fake_hold", "fake_go",
                                        "fake_current", "fake_push",  "fake_pop"};
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *found[7];

    _Static_assert(sizeof found == sizeof *l, "a name for each function");
    for (int i = 0; i < 7; i++) {
        found[i] = library ? dlsym(library, names[i]) : NULL;
        if (!found[i])
            return -1;
    }
    memcpy(l, found, sizeof found);
    return 0;
}

int fake_call_reset(const fake_library *l, const fake_settings *s)
{
    return l->reset(s);
}

void fake_call_count(const fake_library *l, fake_counters *out)
{
    l->count(out);
}

void fake_call_hold(const fake_library *l, uintptr_t stream)
{
    l->hold(stream);
}

void fake_call_go(const fake_library *l)
{
    l->go();
}

uintptr_t fake_call_current(const fake_library *l)
{
    return l->current();
}

void fake_call_push(const fake_library *l, int device)
{
    l->push(device);
}

void fake_call_pop(const fake_library *l)
{
    l->pop();
}
