package audio_test

import (
	"context"
	"testing"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) { leaktest.Main(m, decodetest.Leaks()...) }

// fuzzLimits keep a run fast. Larger inputs have their own tests.
var fuzzLimits = decode.Limits{MaxPixels: 1e6, MaxFrames: 8, MaxMemory: 256 << 20}

var ctx = context.Background()
