package audio_test

import (
	"context"
	"testing"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "handles of FFmpeg", Now: av.Handles},
		leaktest.Count{Name: "handles of FFmpeg that were forgotten", Now: av.Forgotten})
}

// fuzzLimits keep a run fast. Larger inputs have their own tests.
var fuzzLimits = decode.Limits{MaxPixels: 1e6, MaxFrames: 8, MaxMemory: 256 << 20}

var ctx = context.Background()
