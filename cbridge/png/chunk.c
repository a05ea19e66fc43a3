#include "chunk.h"

#include <libdeflate.h>

const uint8_t spool_png_signature[SPOOL_PNG_SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

static int is_name(uint32_t name)
{
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t letter = (name >> shift & 0xFF) | 0x20;
        if (letter < 'a' || letter > 'z')
            return 0;
    }
    return 1;
}

int spool_png_next_chunk(spool_png_file *file, spool_png_chunk *chunk)
{
    const size_t left = file->size - file->at;
    *chunk = (spool_png_chunk){.at = file->at};
    if (left < SPOOL_PNG_CHUNK_HEAD) {
        file->at = file->size;
        return SPOOL_PNG_CHUNK_CUT;
    }
    chunk->length = spool_png_u32(file->data + file->at);
    chunk->name = spool_png_u32(file->data + file->at + 4);
    chunk->data = file->data + file->at + SPOOL_PNG_CHUNK_HEAD;
    if (chunk->length > INT32_MAX || !is_name(chunk->name))
        return SPOOL_PNG_CHUNK_NONE;
    if (left - SPOOL_PNG_CHUNK_HEAD < (size_t)chunk->length + 4) {
        const size_t there = left - SPOOL_PNG_CHUNK_HEAD;
        chunk->there = there < chunk->length ? there : chunk->length;
        file->at = file->size;
        return SPOOL_PNG_CHUNK_CUT;
    }
    chunk->there = chunk->length;
    file->at += SPOOL_PNG_CHUNK_FRAME + (size_t)chunk->length;
    return SPOOL_PNG_CHUNK_WHOLE;
}

int spool_png_intact(const spool_png_chunk *chunk)
{
    return libdeflate_crc32(0, chunk->data - 4, (size_t)chunk->length + 4) ==
           spool_png_u32(chunk->data + chunk->length);
}
