// Package release checks at compile time that FFmpeg is of a release that spool supports. It imports nothing, so it is
// compiled before go-astiav, whose errors do not name the cause. This package is internal to the module: no
// compatibility promise.
package release

/*
#cgo pkg-config: libavcodec
#include <libavcodec/version.h>
#include <libavutil/version.h>

#define RELEASED(major, minor) (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(major, minor, 0))
#if RELEASED(62, 0)
#error "spool needs FFmpeg 5.1 or 7.1, this is 8 or later: https://github.com/spoolmedia/spool/blob/main/docs/go.md"
#elif RELEASED(61, 19)
#elif RELEASED(61, 0)
#error "spool needs FFmpeg 5.1 or 7.1, this is 7.0: https://github.com/spoolmedia/spool/blob/main/docs/go.md"
#elif RELEASED(60, 0)
#error "spool needs FFmpeg 5.1 or 7.1, this is 6: https://github.com/spoolmedia/spool/blob/main/docs/go.md"
#elif !RELEASED(59, 37)
#error "spool needs FFmpeg 5.1 or 7.1, this is 5.0 or older: https://github.com/spoolmedia/spool/blob/main/docs/go.md"
#endif
*/
import "C"
