package ondevice_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, append(decodetest.Leaks(), leaktest.Count{Name: "handles of CUDA and nvJPEG", Now: func() int64 {
		u, c := nvjpeg.InUse(), cuda.InUse()
		return u.Codecs + u.States + c.Contexts + c.Blocks + c.Streams + c.Events
	}})...)
}
