package graph_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/decode/graph"
	"github.com/spoolmedia/spool/internal/decoders"
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

// graphs opens graphs over the decoders of a test.
func graphs(d *decoders.Set) *graph.Decoder { return graph.New(d.Decoder, d.Videos, d.Audios) }
