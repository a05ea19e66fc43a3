package probe_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes in libvips", Now: vips.InUse},
		leaktest.Count{Name: "handles of FFmpeg", Now: av.Handles},
		leaktest.Count{Name: "handles of FFmpeg that were forgotten", Now: av.Forgotten})
}
