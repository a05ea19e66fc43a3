/* Interleaves colors, 16 pixels in each lane: the k-th 16 bytes of their RGB. For vectors that shuffle within lanes. */

/* The source of byte i of RGB in color c; 128: in another color. */
#define FROM(c, i) ((i) % 3 == (c) ? (i) / 3 % 2 * 8 + (i) / 3 / 2 : 128)
#define FROM_4(c, i) FROM(c, i), FROM(c, i + 1), FROM(c, i + 2), FROM(c, i + 3)
#define FROM_16(c, i)                                                       \
    {                                                                       \
        FROM_4(c, i), FROM_4(c, i + 4), FROM_4(c, i + 8), FROM_4(c, i + 12) \
    }
#define FROM_48(c)                                    \
    {                                                 \
        FROM_16(c, 0), FROM_16(c, 16), FROM_16(c, 32) \
    }

INLINE vec interleaved(vec r, vec g, vec b, int k)
{
    static const uint8_t from[3][3][16] = {FROM_48(0), FROM_48(1), FROM_48(2)};
    return OP(add_epi8)(OP(add_epi8)(OP(shuffle_epi8)(r, repeat(from[0][k])), OP(shuffle_epi8)(g, repeat(from[1][k]))),
                        OP(shuffle_epi8)(b, repeat(from[2][k]))); /* two of the three are 0 */
}
