/* The values of the bytes of ITU-T G.711, where full scale is 1. */
#ifndef SPOOL_RESAMPLE_G711_H
#define SPOOL_RESAMPLE_G711_H

extern const float spool_resample_alaw[256], spool_resample_mulaw[256];

#endif
