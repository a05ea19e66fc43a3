#include "tables.h"

#include <libavutil/common.h>
#include <libavutil/intreadwrite.h>

enum {
    DEPTH = 5,               /* moov, trak, mdia, minf, stbl */
    MOST = 1 << 25,          /* maximum samples of a file: 2 GiB of tables */
    SMALL = 64 << 20,        /* maximum size of files whose fragments are all read */
    SAMPLES_OF_PACKET = 160, /* minimum that FFmpeg puts into an audio packet, for samples that last a tick */
    OWN_FIELDS = 0xF00,      /* flags of trun: fields stored for each sample */
};

/* State while boxes are read. */
typedef struct {
    AVIOContext *pb;
    int64_t size, claimed;
    int moov, audio;
    int64_t ticks; /* of each sample, if all of a track have the same duration; else 0 */
} tables;

typedef struct {
    uint32_t type;
    int64_t start, end; /* of the content */
} box;

/* Reads the next box before an end. Returns 0 if there is none. */
static int next_box(tables *t, int64_t at, int64_t end, box *b)
{
    if (end - at < 8 || avio_seek(t->pb, at, SEEK_SET) < 0)
        return 0;
    int64_t size = avio_rb32(t->pb);
    b->type = avio_rl32(t->pb);
    b->start = at + 8;
    if (size == 1) {
        size = (int64_t)avio_rb64(t->pb);
        b->start += 8;
    } else if (size == 0) {
        size = end - at;
    }
    if (t->pb->eof_reached || t->pb->error || size < b->start - at)
        return 0;
    b->end = size > end - at ? end : at + size;
    return 1;
}

/* stts: durations of samples. */
static void durations(tables *t)
{
    avio_rb32(t->pb);
    const uint32_t runs = avio_rb32(t->pb);
    avio_rb32(t->pb);
    const uint32_t ticks = avio_rb32(t->pb);
    t->ticks = runs == 1 ? ticks : 0;
}

/* stsz: if all samples have one size, their number takes no space in the file. */
static void sizes(tables *t)
{
    avio_rb32(t->pb);
    const uint32_t size = avio_rb32(t->pb);
    const int64_t count = avio_rb32(t->pb);
    t->claimed += size != 0 && t->audio && t->ticks == 1 ? count / SAMPLES_OF_PACKET : count;
}

/* trun: samples without fields of their own take no space either. */
static void run(tables *t)
{
    t->claimed += (avio_rb32(t->pb) & OWN_FIELDS) == 0 ? avio_rb32(t->pb) : 0;
}

static void walk(tables *t, int64_t at, int64_t end, int depth);

static void enter(tables *t, const box *b, int depth)
{
    switch (b->type) {
    case MKTAG('t', 'r', 'a', 'k'):
        t->audio = 0;
        t->ticks = 0;
        /* fall through */
    case MKTAG('m', 'o', 'o', 'v'):
    case MKTAG('m', 'd', 'i', 'a'):
    case MKTAG('m', 'i', 'n', 'f'):
    case MKTAG('s', 't', 'b', 'l'):
    case MKTAG('m', 'o', 'o', 'f'):
    case MKTAG('t', 'r', 'a', 'f'):
        t->moov |= b->type == MKTAG('m', 'o', 'o', 'v');
        if (depth < DEPTH)
            walk(t, b->start, b->end, depth + 1);
        break;
    case MKTAG('h', 'd', 'l', 'r'):
        avio_rb64(t->pb);
        t->audio |= avio_rl32(t->pb) == MKTAG('s', 'o', 'u', 'n');
        break;
    case MKTAG('s', 't', 't', 's'):
        durations(t);
        break;
    case MKTAG('s', 't', 's', 'z'):
        sizes(t);
        break;
    case MKTAG('t', 'r', 'u', 'n'):
        run(t);
        break;
    }
}

static void walk(tables *t, int64_t at, int64_t end, int depth)
{
    box b;
    while (next_box(t, at, end, &b)) {
        if (b.type == MKTAG('m', 'd', 'a', 't') && t->moov && t->size > SMALL)
            return; /* later fragments are read on demand; reading each now would be slow */
        enter(t, &b, depth);
        at = b.end;
    }
}

int64_t spool_av_overclaims(AVIOContext *pb)
{
    tables t = {.pb = pb, .size = avio_size(pb)};
    const int64_t at = avio_tell(pb);

    if (t.size <= 0 || !(pb->seekable & AVIO_SEEKABLE_NORMAL))
        return 0;
    walk(&t, 0, t.size, 0);
    pb->eof_reached = 0;
    if (avio_seek(pb, at, SEEK_SET) < 0)
        return 0;
    return t.claimed > t.size || t.claimed > MOST ? t.claimed : 0;
}
