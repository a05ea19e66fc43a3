package graph_test

import (
	"testing"

	"github.com/spoolmedia/spool/decode/graph"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) { leaktest.Main(m, decodetest.Leaks()...) }

// graphs opens graphs over the decoders of a test.
func graphs(d *decoders.Set) *graph.Decoder { return graph.New(d.Decoder, d.Videos, d.Audios) }
