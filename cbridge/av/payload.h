/* The payload and side data of a packet. payload.c */
#ifndef SPOOL_AV_PAYLOAD_H
#define SPOOL_AV_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sets the packet's payload to borrowed bytes, which must be valid as long as the packet or a clone exists.
 * AV_INPUT_BUFFER_PADDING_SIZE bytes must follow them.
 */
int spool_av_payload_lend(void *packet, const uint8_t *data, int32_t size);

const uint8_t *spool_av_payload_data(const void *packet, int32_t *size);

/* Returns side data by index: its type and its bytes, which the packet owns. NULL if there is none. */
const uint8_t *spool_av_payload_side(const void *packet, int32_t i, int32_t *type, size_t *size);
int spool_av_payload_add_side(void *packet, int32_t type, const uint8_t *data, size_t size);

#endif
