#include "entry.h"

#include "_cgo_export.h"

int32_t spool_abi(void)
{
    return SPOOL_ABI;
}

int32_t spool_helper(void)
{
    return goHelper();
}

const char *spool_version(void)
{
    return spool_entry_forked() ? "" : goVersion();
}
