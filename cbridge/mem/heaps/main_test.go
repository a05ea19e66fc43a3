package heaps_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}
