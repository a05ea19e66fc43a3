package kernels_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "CUDA handles and bytes", Now: func() int64 {
		u := cuda.InUse()
		return u.Contexts + u.Blocks + u.Registered + u.Streams + u.Events + u.Modules
	}})
}
