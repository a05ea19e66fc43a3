package video_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// A file similar to an earlier one is not probed, and has the parameters that probing finds.
func TestVideosAlike(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	open := func(d *decoders.Set, path string) (video.Info, []byte) {
		v, err := d.Videos.Open(ctx, spool.File(path), video.OpenOptions{NoIndex: true})
		require.NoError(t, err)
		x, err := v.Index().MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, v.Close())
		return v.Info(), x
	}
	for _, path := range videos(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			alone := decodetest.New(t, decoders.Options{})
			want, wantIndex := open(alone, path)
			kinds := 0
			if strings.HasPrefix(want.Format, "mov,") && (want.Codec == "h264" || want.Codec == "hevc") {
				kinds = 1
			}
			for _, with := range []*decoders.Set{alone, d, d} {
				info, index := open(with, path)
				assert.Equal(t, want, info)
				assert.Equal(t, wantIndex, index)
			}
			assert.LessOrEqual(t, alone.Videos.Probed(), kinds, "files with several videos are not")
		})
	}
	assert.Positive(t, d.Videos.Probed())
}
