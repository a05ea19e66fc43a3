/*
 * Every file that calculates includes this first. Products and sums are rounded one by one, also on machines with fused
 * multiply-add, so that all machines give the same samples.
 */
#ifndef SPOOL_RESAMPLE_EXACT_H
#define SPOOL_RESAMPLE_EXACT_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#endif
