#include <string.h>

#include <gif_lib.h>

#include "floor.h"

typedef struct {
    const uint8_t *next;
    size_t left;
} memory;

static int read_memory(GifFileType *gif, GifByteType *to, int n)
{
    memory *in = gif->UserData;
    size_t count = (size_t)n < in->left ? (size_t)n : in->left;
    memcpy(to, in->next, count);
    in->next += count;
    in->left -= count;
    return count;
}

/* Moves to the first frame. */
static int find_frame(GifFileType *gif)
{
    for (;;) {
        GifRecordType type;
        if (DGifGetRecordType(gif, &type) != GIF_OK)
            return 0;
        if (type == IMAGE_DESC_RECORD_TYPE)
            return DGifGetImageDesc(gif) == GIF_OK;
        if (type != EXTENSION_RECORD_TYPE)
            return 0;
        GifByteType *extension;
        int code;
        if (DGifGetExtension(gif, &code, &extension) != GIF_OK)
            return 0;
        while (extension != NULL)
            if (DGifGetExtensionNext(gif, &extension) != GIF_OK)
                return 0;
    }
}

static int decode_line(GifFileType *gif, const ColorMapObject *map, uint8_t *to)
{
    uint8_t line[65536];
    if (DGifGetLine(gif, line, gif->Image.Width) != GIF_OK)
        return 1;
    for (int x = 0; x < gif->Image.Width; x++, to += 3)
        if (line[x] < map->ColorCount)
            memcpy(to, &map->Colors[line[x]], 3);
    return 0;
}

static int decode_frame(GifFileType *gif, uint8_t *dst, size_t dst_size)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    if (!find_frame(gif))
        return 1;
    const ColorMapObject *map = gif->Image.ColorMap != NULL ? gif->Image.ColorMap : gif->SColorMap;
    size_t stride = (size_t)gif->Image.Width * 3;
    if (map == NULL || stride * gif->Image.Height > dst_size)
        return 1;
    int passes = gif->Image.Interlace ? 4 : 1, status = 0;
    for (int pass = 0; pass < passes; pass++)
        for (int y = first[pass]; status == 0 && y < gif->Image.Height; y += passes == 1 ? 1 : step[pass])
            status = decode_line(gif, map, dst + y * stride);
    return status;
}

int spool_floor_gif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    memory in = {data, size};
    int error;
    GifFileType *gif = DGifOpen(&in, read_memory, &error);
    if (gif == NULL)
        return 1;
    int status = decode_frame(gif, dst, dst_size);
    DGifCloseFile(gif, &error);
    return status;
}
