package record_test

import (
	"context"
	"testing"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const media = "../testdata"

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "handles of FFmpeg", Now: av.Handles})
}

var ctx = context.Background()
