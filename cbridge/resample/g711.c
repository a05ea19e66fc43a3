/*
 * ITU-T G.711: a byte has a sign, an exponent of three bits and a mantissa of four. It represents the middle of an
 * interval of 13 or 14 bits, here at the top of 16 bits.
 */
#include "g711.h"

#define MANTISSA(b) ((b)&15)
#define EXPONENT(b) ((b) >> 4 & 7)
#define SIGNED(b, x) ((float)((b)&0x80 ? (x) : -(x)) * 0x1p-15f)

/* A-law inverts every other bit for transmission. */
#define ALAW_SIZE(b) ((MANTISSA(b) << 4 | (EXPONENT(b) > 0 ? 0x108 : 8)) << (EXPONENT(b) > 0 ? EXPONENT(b) - 1 : 0))
#define ALAW(b) SIGNED((b) ^ 0x55, ALAW_SIZE((b) ^ 0x55))

/* Mu-law inverts all bits, and intervals begin at a bias of 33. */
#define MULAW_SIZE(b) (((MANTISSA(b) << 3 | 33 << 2) << EXPONENT(b)) - (33 << 2))
#define MULAW(b) SIGNED(b, MULAW_SIZE((b) ^ 0xFF))

#define FOUR(of, b) of(b), of(b + 1), of(b + 2), of(b + 3)
#define MANY(of, b) FOUR(of, b), FOUR(of, b + 4), FOUR(of, b + 8), FOUR(of, b + 12)
#define MORE(of, b) MANY(of, b), MANY(of, b + 16), MANY(of, b + 32), MANY(of, b + 48)
#define ALL(of) MORE(of, 0), MORE(of, 64), MORE(of, 128), MORE(of, 192)

const float spool_resample_alaw[] = {ALL(ALAW)};
const float spool_resample_mulaw[] = {ALL(MULAW)};
