package av

// #cgo pkg-config: libavutil
// #include <libavutil/avutil.h>
import "C"

// Version is the FFmpeg that this process runs with, "5.1.6-0+deb12u1".
func Version() string { return C.GoString(C.av_version_info()) }
