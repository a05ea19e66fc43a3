/* Interleaving of colors by instructions that permute the bytes of two vectors in any way. */

/* The source of byte i of RGB: pixel i / 3, in the vector of red or in that of green. */
#define FROM(i) (i) / 3 / 16 * 16 + (i) / 3 % 2 * 8 + (i) / 3 % 16 / 2 + ((i) % 3 == 1 ? 16 * LANES : 0)
#define FROM_4(i) FROM(i), FROM(i + 1), FROM(i + 2), FROM(i + 3)
#define FROM_16(i) FROM_4(i), FROM_4(i + 4), FROM_4(i + 8), FROM_4(i + 12)
#define FROM_32(i) FROM_16(i), FROM_16(i + 16)
