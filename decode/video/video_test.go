package video_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// torchcodecVideo is torchcodec's result for a video.
type torchcodecVideo struct {
	Kind          string
	Frames        int
	Width, Height int // upright
	Codec         string
	Rotation      string
	PTS           []float64 // rounded to 1e-6
	At            []int     `json:"frames_at"`
	Stride        int       // of the recorded pixels, in both directions
	NPY           string    `json:"frames_npy"`
}

func sharedVideos(t testing.TB) map[string]torchcodecVideo {
	t.Helper()
	data, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &all))
	references := map[string]torchcodecVideo{}
	for name, raw := range all {
		var f torchcodecVideo
		if json.Unmarshal(raw, &f) == nil && f.NPY != "" && f.Kind == "video" {
			references[name] = f
		}
	}
	return references
}

// npy is the shape and the bytes of a uint8 file.
func npy(t testing.TB, path ...string) (shape []int, data []byte) {
	t.Helper()
	data = decodetest.ReadFile(t, path...)
	header := int(binary.LittleEndian.Uint16(data[8:]))
	var dims [4]int
	n, err := fmt.Sscanf(string(data[10:10+header]), "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d, %d)",
		&dims[0], &dims[1], &dims[2], &dims[3])
	require.NoError(t, err)
	require.Equal(t, 4, n)
	return dims[:], data[10+header:]
}

// strided are the pixels of every stride-th row and column of frames.
func strided(pixels []byte, shape spool.Shape, stride int) []byte {
	if stride <= 1 {
		return pixels
	}
	var kept []byte
	h, w, c := shape[1], shape[2], shape[3]
	for n := range shape[0] {
		for y := 0; y < h; y += stride {
			for x := 0; x < w; x += stride {
				kept = append(kept, pixels[((n*h+y)*w+x)*c:][:c]...)
			}
		}
	}
	return kept
}

// Times and frames are torchcodec's: identical for 8-bit 4:2:0, and within a mean of 1 for all.
func TestFramesAreTorchcodecs(t *testing.T) {
	references := sharedVideos(t)
	require.GreaterOrEqual(t, len(references), 20)
	d := decodetest.New(t, decoders.Options{})
	for _, name := range short.Some(slices.Sorted(maps.Keys(references)), 3) {
		want := references[name]
		t.Run(name, func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(shared, name)), video.OpenOptions{})
			info := v.Info()
			width, height := info.Oriented()
			assert.Equal(t, [2]int{want.Width, want.Height}, [2]int{width, height})
			assert.Equal(t, want.Codec, info.Codec)
			require.Equal(t, want.Frames, v.Len())
			for n, pts := range want.PTS {
				require.InDelta(t, pts, v.Index().Time(n), 1e-6, "frame %d", n)
			}
			got, report := decodetest.Frames(t, v, want.At, video.Spec{})
			for i, n := range want.At {
				assert.Equal(t, n, report.Frames[i].Index)
				assert.Equal(t, video.Whole, report.Frames[i].State)
				assert.InDelta(t, want.PTS[n], report.Frames[i].PTS, 1e-6)
			}
			_, pixels := npy(t, shared, "expected", want.NPY)
			largest, mean := decodetest.Worst(t, pixels, strided(got, report.Desc.Shape, want.Stride))
			assert.LessOrEqual(t, mean, 1.0)
			if info.PixelFormat == "yuv420p" {
				assert.Zero(t, largest, "%v", info.PixelFormat)
			}
			t.Logf("%s %s: largest difference %d, mean %.4f; %+v", info.Codec, info.PixelFormat, largest, mean, report.Work)
		})
	}
}
