/* CRCs with tables. The CRC of frames processes sixteen bytes at a time. */
#include "crc.h"

/* The remainder of a byte is the XOR of its bits' remainders, so eight numbers define a table. */
#define BIT(b, i, c) ((b) >> (i)&1 ? (c) : 0)
#define BYTE(b, c0, c1, c2, c3, c4, c5, c6, c7)                                                                      \
    (BIT(b, 0, c0) ^ BIT(b, 1, c1) ^ BIT(b, 2, c2) ^ BIT(b, 3, c3) ^ BIT(b, 4, c4) ^ BIT(b, 5, c5) ^ BIT(b, 6, c6) ^ \
     BIT(b, 7, c7))
#define FOUR(b, ...) BYTE(b, __VA_ARGS__), BYTE(b + 1, __VA_ARGS__), BYTE(b + 2, __VA_ARGS__), BYTE(b + 3, __VA_ARGS__)
#define MANY(b, ...) FOUR(b, __VA_ARGS__), FOUR(b + 4, __VA_ARGS__), FOUR(b + 8, __VA_ARGS__), FOUR(b + 12, __VA_ARGS__)
#define MORE(b, ...) \
    MANY(b, __VA_ARGS__), MANY(b + 16, __VA_ARGS__), MANY(b + 32, __VA_ARGS__), MANY(b + 48, __VA_ARGS__)
#define ALL(...)                                                                                    \
    {                                                                                               \
        MORE(0, __VA_ARGS__), MORE(64, __VA_ARGS__), MORE(128, __VA_ARGS__), MORE(192, __VA_ARGS__) \
    }

static const uint8_t eight[256] = ALL(0x07, 0x0E, 0x1C, 0x38, 0x70, 0xE0, 0xC7, 0x89);

/* Row i is for a byte with i bytes after it. */
static const uint16_t sixteen[16][256] = {
    ALL(0x8005, 0x800F, 0x801B, 0x8033, 0x8063, 0x80C3, 0x8183, 0x8303),
    ALL(0x8603, 0x8C03, 0x9803, 0xB003, 0xE003, 0x4003, 0x8006, 0x8009),
    ALL(0x8017, 0x802B, 0x8053, 0x80A3, 0x8143, 0x8283, 0x8503, 0x8A03),
    ALL(0x9403, 0xA803, 0xD003, 0x2003, 0x4006, 0x800C, 0x801D, 0x803F),
    ALL(0x807B, 0x80F3, 0x81E3, 0x83C3, 0x8783, 0x8F03, 0x9E03, 0xBC03),
    ALL(0xF803, 0x7003, 0xE006, 0x4009, 0x8012, 0x8021, 0x8047, 0x808B),
    ALL(0x8113, 0x8223, 0x8443, 0x8883, 0x9103, 0xA203, 0xC403, 0x0803),
    ALL(0x1006, 0x200C, 0x4018, 0x8030, 0x8065, 0x80CF, 0x819B, 0x8333),
    ALL(0x8663, 0x8CC3, 0x9983, 0xB303, 0xE603, 0x4C03, 0x9806, 0xB009),
    ALL(0xE017, 0x402B, 0x8056, 0x80A9, 0x8157, 0x82AB, 0x8553, 0x8AA3),
    ALL(0x9543, 0xAA83, 0xD503, 0x2A03, 0x5406, 0xA80C, 0xD01D, 0x203F),
    ALL(0x407E, 0x80FC, 0x81FD, 0x83FF, 0x87FB, 0x8FF3, 0x9FE3, 0xBFC3),
    ALL(0xFF83, 0x7F03, 0xFE06, 0x7C09, 0xF812, 0x7021, 0xE042, 0x4081),
    ALL(0x8102, 0x8201, 0x8407, 0x880B, 0x9013, 0xA023, 0xC043, 0x0083),
    ALL(0x0106, 0x020C, 0x0418, 0x0830, 0x1060, 0x20C0, 0x4180, 0x8300),
    ALL(0x8605, 0x8C0F, 0x981B, 0xB033, 0xE063, 0x40C3, 0x8186, 0x8309),
};

uint8_t spool_flac_crc8(const uint8_t *p, size_t n)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = eight[sum ^ p[i]];
    return sum;
}

uint16_t spool_flac_crc16(const uint8_t *p, size_t n)
{
    uint16_t sum = 0;
    for (; n >= 16; n -= 16, p += 16) {
        uint16_t next = sixteen[15][p[0] ^ sum >> 8] ^ sixteen[14][p[1] ^ (sum & 0xFF)];
        for (int i = 2; i < 16; i++)
            next ^= sixteen[15 - i][p[i]];
        sum = next;
    }
    for (size_t i = 0; i < n; i++)
        sum = sum << 8 ^ sixteen[0][sum >> 8 ^ p[i]];
    return sum;
}
