package audio_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// The processor time of a call is limited. A limit of a nanosecond is spent at the first poll.
func TestProcessorTimeIsLimited(t *testing.T) {
	file := spool.File(filepath.Join(media, "audio", "mp3.mp3"))
	for limit, stopped := range map[time.Duration]bool{1: true, 0: false, -1: false} {
		d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: limit}})
		a, err := d.Audios.Open(ctx, file, audio.OpenOptions{})
		if !stopped {
			require.NoError(t, err)
			require.NoError(t, a.Close())
			continue
		}
		require.ErrorIs(t, err, spool.ErrTimeout)
		require.ErrorContains(t, err, "more than 1ns of processor time")
	}
}
