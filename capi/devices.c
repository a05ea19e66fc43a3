/*
 * go-astiav can register FFmpeg's devices, and nobody here asks it to. With this in place of libavdevice's own the
 * library does without that, and a program that loads it without SDL, OpenGL, X and sound servers.
 */
void avdevice_register_all(void);

void avdevice_register_all(void)
{
}
