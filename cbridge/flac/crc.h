/* The checksums of frames. */
#ifndef SPOOL_FLAC_CRC_H
#define SPOOL_FLAC_CRC_H

#include <stddef.h>
#include <stdint.h>

uint8_t spool_flac_crc8(const uint8_t *p, size_t n);   /* x^8 + x^2 + x + 1, of a header */
uint16_t spool_flac_crc16(const uint8_t *p, size_t n); /* x^16 + x^15 + x^2 + 1, of a frame */

#endif
