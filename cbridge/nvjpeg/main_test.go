package nvjpeg_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "nvJPEG and CUDA handles", Now: func() int64 {
		u, c := nvjpeg.InUse(), cuda.InUse()
		return u.Codecs + u.States + c.Contexts + c.Blocks + c.Registered + c.Streams + c.Events
	}})
}
