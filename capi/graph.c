#include "entry.h"

#include "_cgo_export.h"

int32_t spool_graph_open(const char *description, const spool_graph_input *inputs, size_t n, const char *options,
                         spool_cancel *cancel, spool_graph **graph, spool_error *error)
{
    SPOOL_ENTER(error);
    return goGraphOpen((char *)description, (spool_graph_input *)inputs, n, (char *)options, (uintptr_t)cancel,
                       (uintptr_t *)graph, error);
}

int32_t spool_graph_info(spool_graph *graph, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goGraphInfo((uintptr_t)graph, json, error);
}

int32_t spool_graph_next(spool_graph *graph, spool_cancel *cancel, spool_graph_output *output, spool_error *error)
{
    SPOOL_ENTER(error);
    return goGraphNext((uintptr_t)graph, (uintptr_t)cancel, output, error);
}

void spool_graph_close(spool_graph *graph)
{
    if (!spool_entry_forked())
        goGraphClose((uintptr_t)graph);
}
