package audio_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
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

// decoders are a decoder of audio and the memory that it uses.
type decoders struct {
	*decode.Decoder
	audios *audio.Decoder
}

// options are those of both.
type options struct {
	Limits decode.Limits
	Pool   *spool.Pool
	FLAC   audio.FLACEngine
}

func newDecoders(o options) (*decoders, error) {
	d, err := decode.New(decode.Options{Limits: o.Limits, Pool: o.Pool})
	if err != nil {
		return nil, err
	}
	audios, err := audio.New(d, audio.Options{FLAC: o.FLAC})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &decoders{d, audios}, nil
}

func (d *decoders) Close() error { return errors.Join(d.audios.Close(), d.Decoder.Close()) }

func newDecoder(t testing.TB, o options) *decoders {
	t.Helper()
	d, err := newDecoders(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close(), "a buffer leaked") })
	return d
}

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return data
}

// fuzzLimits keep a run fast. Larger inputs have their own tests.
var fuzzLimits = decode.Limits{MaxPixels: 1e6, MaxFrames: 8, MaxMemory: 256 << 20}

var ctx = context.Background()
