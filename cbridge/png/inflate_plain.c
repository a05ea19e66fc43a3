#define INFLATE_CODES spool_inflate_codes_plain
#include "inflate_codes.h"
