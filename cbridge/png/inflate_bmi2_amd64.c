/* For machines that shift and mask by a register in one instruction (BMI2). */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("bmi,bmi2")
#endif

#define INFLATE_CODES spool_inflate_codes_bmi2
#include "inflate_codes.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
