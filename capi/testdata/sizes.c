/* Prints the sizes of the structs that programs allocate. */
#include "spool.h"

#include <stdio.h>

#define PRINT(type) printf(#type " %zu\n", sizeof(type))

int main(void)
{
    PRINT(spool_error);
    PRINT(spool_array_view);
    PRINT(spool_source);
    PRINT(spool_region);
    PRINT(spool_image_report);
    PRINT(spool_frame);
    PRINT(spool_clip);
    PRINT(spool_audio_samples);
    PRINT(spool_listing);
    PRINT(spool_packet);
    PRINT(spool_member);
    PRINT(spool_graph_input);
    PRINT(spool_graph_output);
    return 0;
}
