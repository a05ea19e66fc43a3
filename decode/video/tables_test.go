package video_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// scanned is the index that reading all packets gives, without Disposable, and whether a key packet begins a refresh.
func scanned(t *testing.T, name string, stream int) (packets []index.Packet, refreshes bool) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	in, err := av.Open(c, spool.File(name), av.InputOptions{})
	require.NoError(t, err)
	defer in.Close()
	entries, err := in.Scan(c, stream)
	require.NoError(t, err)
	for _, e := range entries {
		p := index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Pos: e.Pos, Size: e.Size}
		for flag, set := range map[index.Flags]bool{index.Key: e.Key && !e.Refresh, index.Discard: e.Discard,
			index.Damaged: e.Corrupt, index.Hidden: e.Hidden, index.Field: e.Second} {
			if set {
				p.Flags |= flag
			}
		}
		refreshes = refreshes || e.Refresh
		packets = append(packets, p)
	}
	return packets, refreshes
}

// The index of a local MP4 file is the same whether it is made from tables or from the packets, and tables are used
// where they tell enough.
func TestIndexFromTables(t *testing.T) {
	tabled := map[string]bool{"bframes.mp4": true, "deep.mp4": true, "yuv422.mp4": true, "odd444.mp4": true,
		"full.mp4": true, "edited.mp4": true, "turned.mp4": true, "mjpeg.mov": true, "damaged.mp4": true}
	var names []string
	for _, folder := range []string{media, shared} { // the shared folder may be missing
		found, err := filepath.Glob(filepath.Join(folder, "video", "*.m[po][4v]"))
		require.NoError(t, err)
		names = append(names, found...)
	}
	d := decodetest.New(t, decoders.Options{})
	seen := map[string]bool{}
	for _, name := range names {
		base := filepath.Base(name)
		if slices.Contains([]string{"truncated.mp4", "noindex.mp4"}, base) { // scans of these fail
			continue
		}
		t.Run(name, func(t *testing.T) {
			x := decodetest.OpenVideo(t, d, spool.File(name), video.OpenOptions{}).Index()
			want, refreshes := scanned(t, name, x.Stream.Number)
			got := slices.Clone(x.Packets)
			disposable := false
			for i := range got {
				disposable = disposable || got[i].Flags&index.Disposable != 0
				got[i].Flags &^= index.Disposable
			}
			require.Equal(t, want, got)
			assert.Equal(t, base == "refresh.mp4", refreshes)
			if tabled[base] {
				seen[base] = true
				assert.False(t, disposable, "it was scanned")
			}
		})
	}
	assert.Equal(t, tabled, seen)
}

// Decoding does not begin at a key packet that begins a gradual refresh, although the tables of a remote file list it.
func TestRefreshByTables(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	name := filepath.Join(media, "video", "refresh.mp4")
	local := decodetest.OpenVideo(t, d, spool.File(name), video.OpenOptions{})
	all, _ := decodetest.Frames(t, local, decodetest.EveryFrame(local.Len()), video.Spec{})
	remote := decodetest.OpenVideo(t, d, &remoteObject{data: decodetest.ReadFile(t, name)}, video.OpenOptions{})
	require.Equal(t, local.Len(), remote.Len())
	keys := 0
	for _, p := range remote.Index().Packets {
		if p.Flags&index.Key != 0 {
			keys++
		}
	}
	require.Greater(t, keys, 1, "the tables name refreshes key packets")
	size := len(all) / local.Len()
	for n := local.Len() - 1; n >= 0; n -= 3 {
		for where, v := range map[string]*video.Video{"local": local, "remote": remote} {
			got, _ := decodetest.Frames(t, v, []int{n}, video.Spec{})
			require.Equal(t, all[n*size:][:size], got, "frame %d, %s", n, where)
		}
	}
}
