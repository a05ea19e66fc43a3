/* What a packet carries. payload.c */
#ifndef SPOOL_AV_PAYLOAD_H
#define SPOOL_AV_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/* Makes a packet one of these bytes, which are lent for as long as it or a clone of it lives; as many as
 * AV_INPUT_BUFFER_PADDING_SIZE follow. */
int spool_av_payload_lend(void *packet, const uint8_t *data, int32_t size);

const uint8_t *spool_av_payload_data(const void *packet, int32_t *size);

/* Side data, by number: its type, and its bytes, which remain the packet's; NULL where there is none. */
const uint8_t *spool_av_payload_side(const void *packet, int32_t i, int32_t *type, size_t *size);
int spool_av_payload_add_side(void *packet, int32_t type, const uint8_t *data, size_t size);

#endif
