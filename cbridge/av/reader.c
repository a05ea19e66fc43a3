#include "reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <libavutil/error.h>
#include <libavutil/mem.h>

/* Exported by reader.go. Returns the number of bytes, 0 at the end, or -1 if the reader has an error. */
extern int spoolAVRead(uintptr_t reader, uint8_t *buffer, int size, int64_t at);

/* A call into Go costs about 1.5 us, as much as a copy of this many bytes. */
enum { BUFFER = 32 << 10 };

/* Reads zeros, as many as the input has bytes. */
static int read_zeros(spool_av_input *input, uint8_t *buffer, int size)
{
    const int64_t left = input->size - input->at;

    if (left <= 0)
        return AVERROR_EOF;
    if (size > left)
        size = (int)left;
    memset(buffer, 0, (size_t)size);
    input->at += size;
    return size;
}

static int read_memory(void *opaque, uint8_t *buffer, int size)
{
    spool_av_input *input = opaque;
    int64_t left = input->size - input->at;

    if (spool_cancelled(input->flag))
        return AVERROR_EXIT;
    if (input->zeros)
        return read_zeros(input, buffer, size);
    if (left <= 0)
        return AVERROR_EOF;
    if (size > left)
        size = (int)left;
    memcpy(buffer, input->data + input->at, (size_t)size);
    input->at += size;
    return size;
}

static int read_file(void *opaque, uint8_t *buffer, int size)
{
    spool_av_input *input = opaque;
    ssize_t n;

    if (spool_cancelled(input->flag))
        return AVERROR_EXIT;
    if (input->zeros)
        return read_zeros(input, buffer, size);
    do
        n = pread(input->file, buffer, (size_t)size, input->at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return AVERROR(errno);
    if (n == 0) /* before the end as it was at first, if the file was cut short */
        return input->at < input->size ? AVERROR(EIO) : AVERROR_EOF;
    input->at += n;
    return (int)n;
}

static int read_go(void *opaque, uint8_t *buffer, int size)
{
    spool_av_input *input = opaque;

    if (spool_cancelled(input->flag))
        return AVERROR_EXIT;
    if (input->zeros)
        return read_zeros(input, buffer, size);
    const int n = spoolAVRead(input->reader, buffer, size, input->at);
    if (n < 0)
        return spool_cancelled(input->flag) ? AVERROR_EXIT : AVERROR(EIO);
    if (n == 0)
        return AVERROR_EOF;
    input->at += n;
    return n;
}

static int64_t seek(void *opaque, int64_t offset, int whence)
{
    spool_av_input *input = opaque;

    whence &= ~AVSEEK_FORCE;
    if (whence == AVSEEK_SIZE)
        return input->size;
    if (whence == SEEK_CUR)
        offset += input->at;
    else if (whence == SEEK_END)
        offset += input->size;
    else if (whence != SEEK_SET)
        return AVERROR(EINVAL);
    if (offset < 0)
        return AVERROR(EINVAL);
    input->at = offset;
    return offset;
}

int spool_av_reader(spool_av_input *input, AVIOContext **pb)
{
    uint8_t *buffer = av_malloc(BUFFER);
    int (*read)(void *, uint8_t *, int) = input->data ? read_memory : input->reader ? read_go : read_file;

    if (buffer) /* FFmpeg treats the buffer of a context without a read function as full */
        *pb = avio_alloc_context(buffer, BUFFER, 0, input, read, NULL, input->size >= 0 ? seek : NULL);
    if (!*pb) {
        av_free(buffer);
        return AVERROR(ENOMEM);
    }
    return 0;
}

void spool_av_reader_close(AVIOContext **pb)
{
    if (*pb)
        av_freep(&(*pb)->buffer);
    avio_context_free(pb);
}
