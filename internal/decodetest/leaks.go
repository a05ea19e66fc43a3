package decodetest

import (
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// Leaks counts what decoders must have released when the tests of a package end.
func Leaks() []leaktest.Count {
	return []leaktest.Count{
		{Name: "bytes of C memory", Now: mem.InUse},
		{Name: "bytes in libvips", Now: vips.InUse},
		{Name: "open AVIF decoders", Now: avif.Opened},
		{Name: "handles of FFmpeg", Now: av.Handles},
		{Name: "handles of FFmpeg that were forgotten", Now: av.Forgotten},
	}
}
