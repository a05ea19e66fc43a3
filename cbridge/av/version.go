package av

// #cgo pkg-config: libavutil
// #include <libavutil/avutil.h>
import "C"

import _ "github.com/spoolmedia/spool/cbridge/av/internal/release" // fails to compile with another FFmpeg

// Version returns the version of FFmpeg in use, such as "5.1.6-0+deb12u1".
func Version() string { return C.GoString(C.av_version_info()) }

// License returns the licence that FFmpeg was configured for, such as "GPL version 3 or later".
func License() string { return C.GoString(C.avutil_license()) }
