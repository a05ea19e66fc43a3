#include "account.h"

#include <lcms2_plugin.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local spool_icc_account *current;

static int64_t in_use; /* bytes of all accounts; atomic */

/* Precedes each block. Its size is a multiple of the strictest alignment. */
typedef union header {
    struct {
        size_t size;
        union header *before, *after; /* in the account's ring; NULL for a block without an account */
    };
    max_align_t align[2];
} header;

static void spend(int64_t bytes)
{
    if (current)
        current->used += bytes;
    __atomic_fetch_add(&in_use, bytes, __ATOMIC_RELAXED);
}

static void link(header *block)
{
    header *first = current ? current->blocks : NULL;
    block->before = block->after = NULL;
    if (!current)
        return;
    block->before = first ? first->before : block;
    block->after = first ? first : block;
    block->before->after = block->after->before = block;
    current->blocks = block;
}

static void unlink(header *block)
{
    if (!block->after)
        return;
    if (current->blocks == block)
        current->blocks = block->after == block ? NULL : block->after;
    block->before->after = block->after;
    block->after->before = block->before;
}

static void *refuse(int why)
{
    if (current && !current->refused)
        current->refused = why;
    return NULL;
}

static void *resize(cmsContext context, void *block, cmsUInt32Number size)
{
    (void)context;
    header *old = block ? (header *)block - 1 : NULL;
    const size_t before = old ? old->size : 0, after = (size_t)size + sizeof *old;
    if (current && current->limit && after > before && (int64_t)(after - before) > current->limit - current->used)
        return refuse(1);
    if (old)
        unlink(old);
    header *new = realloc(old, after);
    if (!new) {
        if (old)
            link(old);
        return refuse(2);
    }
    new->size = after;
    link(new);
    spend((int64_t)after - (int64_t)before);
    return new + 1;
}

static void *allocate(cmsContext context, cmsUInt32Number size)
{
    return resize(context, NULL, size);
}

static void release(cmsContext context, void *block)
{
    (void)context;
    if (!block)
        return;
    header *old = (header *)block - 1;
    unlink(old);
    spend(-(int64_t)old->size);
    free(old);
}

static void log_message(cmsContext context, cmsUInt32Number code, const char *text)
{
    (void)context;
    (void)code;
    if (!current || current->text[0])
        return;
    strncpy(current->text, text, sizeof current->text - 1);
    for (char *c = current->text; *c; c++)
        if (*c < ' ') /* one line, even with line breaks in a profile's names */
            *c = ' ';
}

cmsContext spool_icc_context(void)
{
    cmsPluginMemHandler memory = {
        .base = {.Magic = cmsPluginMagicNumber, .ExpectedVersion = 2060, .Type = cmsPluginMemHandlerSig},
        .MallocPtr = allocate,
        .FreePtr = release,
        .ReallocPtr = resize,
    };
    cmsContext context = cmsCreateContext(&memory, NULL);
    if (context)
        cmsSetLogErrorHandlerTHR(context, log_message);
    return context;
}

void spool_icc_charge(spool_icc_account *account)
{
    current = account;
}

void spool_icc_settle(void)
{
    while (current->blocks)
        release(NULL, (header *)current->blocks + 1);
}

int64_t spool_icc_in_use(void)
{
    return __atomic_load_n(&in_use, __ATOMIC_RELAXED);
}
