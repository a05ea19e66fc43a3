/*
 * Included first by every file that calculates: products and sums are rounded one by one, on machines with
 * fused multiply-add as on those without, so that all of them give the same samples.
 */
#ifndef SPOOL_RESAMPLE_EXACT_H
#define SPOOL_RESAMPLE_EXACT_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#endif
