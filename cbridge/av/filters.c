/*
 * The table of filters in libraries that are linked statically (tools/sdk). FFmpeg's own table, which this one
 * replaces, would link all 400 filters, 4 MB.
 */
#include <string.h>

#include <libavfilter/avfilter.h>

#ifdef SPOOL_STATIC

#define FILTER(name) extern const AVFilter ff_##name;
#include "filters.h"
#undef FILTER

#define FILTER(name) &ff_##name,
static const AVFilter *const filters[] = {
#include "filters.h"
    NULL};
#undef FILTER

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

#endif
