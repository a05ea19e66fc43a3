#include "entry.h"

#include "_cgo_export.h"

int32_t spool_abi(void)
{
    return SPOOL_ABI;
}

const char *spool_version(void)
{
    return spool_entry_forked() ? "" : goVersion();
}
