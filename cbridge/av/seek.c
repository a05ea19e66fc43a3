#include <stdlib.h>

#include <libavformat/avformat.h>

#include "av.h"

/*
 * FFmpeg's binary search in an index steps over entries hidden by an edit list one by one, at each halving. So long
 * hidden runs cost the square of their length. Runs that are in order of time need no stepping: they are unhidden
 * during the search.
 */
enum {
    LONG = 1 << 10, /* minimum entries of a run that is unhidden */
    MOST = 1 << 14, /* maximum entries of an unordered run: a second of work */
};

/* A long run: its stream, its entries, and time stamp and position of the first. */
struct spool_av_run {
    int stream, first, last;
    int64_t timestamp, pos;
};

static AVIndexEntry *entry(const AVFormatContext *context, int stream, int i)
{ /* the table is const, but entries are not moved */
    return (AVIndexEntry *)avformat_index_get_entry(context->streams[stream], i);
}

static int count(const AVFormatContext *context, int stream)
{
    return avformat_index_get_entries_count(context->streams[stream]);
}

static int hidden(const AVFormatContext *context, int stream, int i)
{
    return (entry(context, stream, i)->flags & AVINDEX_DISCARD_FRAME) != 0;
}

static int keep(spool_av_runs *all, const AVFormatContext *context, int stream, int first, int last)
{
    spool_av_run *grown = realloc(all->runs, (all->n + 1) * sizeof *grown); /* rarely called: runs are long */
    if (!grown)
        return AVERROR(ENOMEM);
    const AVIndexEntry *e = entry(context, stream, first);
    grown[all->n++] = (spool_av_run){stream, first, last, e->timestamp, e->pos};
    all->runs = grown;
    return 0;
}

/* Finds the long hidden runs of a stream that are in order with the shown entries around them. */
static int find(spool_av_runs *all, const AVFormatContext *context, int stream)
{
    const int n = count(context, stream);
    int64_t shown = INT64_MIN; /* time of the last shown entry */
    for (int i = 0; i < n;) {
        if (!hidden(context, stream, i)) {
            shown = entry(context, stream, i++)->timestamp;
            continue;
        }
        const int first = i;
        int64_t last = shown;
        int ordered = 1;
        for (; i < n && hidden(context, stream, i); i++) {
            ordered &= entry(context, stream, i)->timestamp >= last;
            last = entry(context, stream, i)->timestamp;
        }
        ordered &= i == n || entry(context, stream, i)->timestamp >= last;
        if (!ordered && i - first > MOST)
            return AVERROR(ENOSYS);
        const int code = ordered && i - first > LONG ? keep(all, context, stream, first, i) : 0;
        if (code < 0)
            return code;
    }
    return 0;
}

/* Finds the runs of all streams, if the indices have grown since the last call. */
static int find_all(spool_av_runs *all, const AVFormatContext *context)
{
    int64_t entries = 0;
    for (unsigned i = 0; i < context->nb_streams; i++)
        entries += count(context, (int)i);
    if (entries == all->entries)
        return all->code;
    all->entries = entries;
    all->n = 0;
    all->code = 0;
    for (unsigned i = 0; i < context->nb_streams && all->code >= 0; i++)
        all->code = find(all, context, (int)i);
    return all->code;
}

static void show(const AVFormatContext *context, const spool_av_run *r)
{
    for (int i = r->first; i < r->last; i++)
        entry(context, r->stream, i)->flags &= ~AVINDEX_DISCARD_FRAME;
}

/* Hides a run again. The seek may have inserted entries of a fragment before it. */
static void hide(const AVFormatContext *context, const spool_av_run *r)
{
    const int n = count(context, r->stream), length = r->last - r->first;
    int first = r->first;
    while (first + length <= n && (entry(context, r->stream, first)->timestamp != r->timestamp ||
                                   entry(context, r->stream, first)->pos != r->pos))
        first++;
    for (int i = first; first + length <= n && i < first + length; i++)
        entry(context, r->stream, i)->flags |= AVINDEX_DISCARD_FRAME;
}

int spool_av_seek(spool_av_input *input, int stream, int64_t to, int flags)
{
    AVFormatContext *context = input->context;
    const spool_av_runs *all = &input->runs;
    int code = flags & AVSEEK_FLAG_BYTE ? 0 : find_all(&input->runs, context);

    for (size_t i = 0; i < all->n; i++)
        show(context, &all->runs[i]);
    if (code >= 0)
        code = av_seek_frame(context, stream, to, flags);
    for (size_t i = 0; i < all->n; i++)
        hide(context, &all->runs[i]);
    return code;
}

void spool_av_forget_runs(spool_av_runs *all)
{
    free(all->runs);
    *all = (spool_av_runs){0};
}
