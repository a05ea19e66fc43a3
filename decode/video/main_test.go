package video_test

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
	"github.com/spoolmedia/spool/decode/video"
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

// decoders are the decoders that the tests use, with common limits and memory.
type decoders struct {
	*decode.Decoder
	videos *video.Decoder
	audios *audio.Decoder
}

// options are those of all decoders.
type options struct {
	Limits decode.Limits
	Pool   *spool.Pool
}

func newDecoders(o options) (*decoders, error) {
	d, err := decode.New(decode.Options{Limits: o.Limits, Pool: o.Pool})
	if err != nil {
		return nil, err
	}
	videos, err := video.New(d, video.Options{})
	audios, refused := audio.New(d, audio.Options{})
	if err := errors.Join(err, refused); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &decoders{d, videos, audios}, nil
}

func (d *decoders) Close() error {
	return errors.Join(d.videos.Close(), d.audios.Close(), d.Decoder.Close())
}

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

// worst is the largest difference of two images, and the mean difference.
func worst(t testing.TB, want, got []byte) (largest int, mean float64) {
	t.Helper()
	require.Len(t, got, len(want))
	sum := 0
	for i, v := range want {
		d := max(int(v), int(got[i])) - min(int(v), int(got[i]))
		largest = max(largest, d)
		sum += d
	}
	return largest, float64(sum) / float64(max(len(want), 1))
}

var ctx = context.Background()
