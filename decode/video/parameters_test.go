package video_test

import (
	"bytes"
	"encoding/binary"
	"os"
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

// A file whose header has a wrong size has that of its frames, whether it is probed or similar to an earlier one.
func TestVideosAlikeWithWrongSize(t *testing.T) {
	data, err := os.ReadFile(media + "/video/bframes.mp4")
	require.NoError(t, err)
	entry := bytes.Index(data, []byte("stsd"))
	entry += bytes.Index(data[entry:], []byte("avc1"))
	width := data[entry+28:] // ISO/IEC 14496-12, VisualSampleEntry
	require.EqualValues(t, 64, binary.BigEndian.Uint16(width))
	binary.BigEndian.PutUint16(width, 241)
	d := decodetest.New(t, decoders.Options{})
	for range 3 {
		v, err := d.Videos.Open(ctx, spool.Bytes{Data: data}, video.OpenOptions{})
		require.NoError(t, err)
		assert.Equal(t, [2]int{64, 48}, [2]int{v.Info().Width, v.Info().Height})
		c, err := v.Frames(ctx, []int{3}, video.Spec{})
		require.NoError(t, err)
		assert.Equal(t, spool.Shape{1, 48, 64, 3}, c.Desc().Shape)
		c.Release()
		require.NoError(t, v.Close())
	}
}
