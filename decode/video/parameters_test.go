package video_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
)

// A file similar to an earlier one is not probed, and has the parameters that probing finds.
func TestVideosAlike(t *testing.T) {
	d := newDecoder(t, options{})
	open := func(d *decoders, path string) (video.Info, []byte) {
		v, err := d.videos.Open(ctx, spool.File(path), video.OpenOptions{NoIndex: true})
		require.NoError(t, err)
		x, err := v.Index().MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, v.Close())
		return v.Info(), x
	}
	for _, path := range videos(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			alone := newDecoder(t, options{})
			want, wantIndex := open(alone, path)
			kinds := 0
			if strings.HasPrefix(want.Format, "mov,") && (want.Codec == "h264" || want.Codec == "hevc") {
				kinds = 1
			}
			for _, with := range []*decoders{alone, d, d} {
				info, index := open(with, path)
				assert.Equal(t, want, info)
				assert.Equal(t, wantIndex, index)
			}
			assert.LessOrEqual(t, alone.videos.Probed(), kinds, "files with several videos are not")
		})
	}
	assert.Positive(t, d.videos.Probed())
}
