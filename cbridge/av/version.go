package av

// #cgo pkg-config: libavutil
// #include <libavutil/avutil.h>
import "C"

// Version returns the version of FFmpeg in use, such as "5.1.6-0+deb12u1".
func Version() string { return C.GoString(C.av_version_info()) }
