/*
 * go-astiav can register FFmpeg's devices, but the library never does. This function replaces libavdevice's, so the
 * library needs no libavdevice, and programs can load it without SDL, OpenGL, X and audio servers.
 */
void avdevice_register_all(void);

void avdevice_register_all(void)
{
}
