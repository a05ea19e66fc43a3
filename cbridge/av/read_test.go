package av_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/need"
)

// enter enters a call that ends with the test.
func enter(t testing.TB, ctx context.Context) *call.Call { //nolint:revive // the test comes first everywhere
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	t.Cleanup(c.Leave)
	return c
}

func open(t testing.TB, c *call.Call, s spool.Object, o av.InputOptions) *av.Input {
	in, err := av.Open(c, s, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.Close()) })
	return in
}

// videos returns the files that tests decode: those of testdata, and the shared files if present.
func videos(t testing.TB) []string {
	var files []string
	for _, pattern := range []string{"testdata/*.mp4", "testdata/*.ts", "testdata/*.webm", "testdata/*.h264",
		"../../testdata/video/*.*", shared + "/video/*", shared + "/torchcodec/*.mp4", shared + "/torchcodec/*.webm",
		shared + "/torchcodec/*.mkv"} {
		matches, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, matches...)
	}
	return files
}

// packetsOf returns ffprobe's list of a stream's packets.
func packetsOf(t *testing.T, file string, stream int) []av.Entry {
	ffprobe := need.Command(t, "ffprobe")
	text, err := exec.CommandContext(t.Context(), ffprobe, "-v", "quiet", "-of", "json", "-show_packets",
		"-select_streams", strconv.Itoa(stream), file).Output()
	require.NoError(t, err)
	var found struct {
		Packets []struct {
			PTS, DTS, Duration *int64
			Pos, Size, Flags   string
		}
	}
	require.NoError(t, json.Unmarshal(text, &found))
	list := make([]av.Entry, len(found.Packets))
	or := func(p *int64, missing int64) int64 {
		if p == nil {
			return missing
		}
		return *p
	}
	for i, p := range found.Packets {
		size, err := strconv.ParseInt(p.Size, 10, 32)
		require.NoError(t, err)
		pos := int64(-1)
		if p.Pos != "" {
			pos, err = strconv.ParseInt(p.Pos, 10, 64)
			require.NoError(t, err)
		}
		list[i] = av.Entry{PTS: or(p.PTS, av.NoPTS), DTS: or(p.DTS, av.NoPTS), Duration: or(p.Duration, 0), Pos: pos,
			Size: int32(size),
			Key:  strings.Contains(p.Flags, "K"), Discard: strings.Contains(p.Flags, "D")}
	}
	return list
}

// Read and Scan return the same packets as ffprobe, by path and from memory.
func TestPacketsAgainstFFprobe(t *testing.T) {
	for i, file := range videos(t) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := enter(t, t.Context())
			in, err := av.Open(c, spool.File(file), av.InputOptions{})
			if err != nil {
				t.Skip("not readable, as other tests demand")
			}
			defer in.Close()
			stream := in.Best(av.Video, -1)
			want := packetsOf(t, file, stream)
			require.NotEmpty(t, want)
			got, err := in.Scan(c, stream)
			require.NoError(t, err)
			refreshed := false
			for i := range got { // fields that ffprobe does not show
				refreshed = refreshed || got[i].Refresh
				got[i].Corrupt, got[i].Refresh, got[i].Disposable, got[i].Hidden, got[i].Second = false, false, false, false, false
			}
			assert.Equal(t, strings.HasPrefix(filepath.Base(file), "refresh."), refreshed)
			assert.Equal(t, want, got)

			again := open(t, c, spool.File(file), av.InputOptions{})
			again.Select(stream)
			packet, err := av.NewPacket()
			require.NoError(t, err)
			defer packet.Release()
			for i := 0; ; i++ {
				err := again.Read(c, packet)
				if errors.Is(err, io.EOF) {
					assert.Equal(t, len(want), i)
					break
				}
				require.NoError(t, err)
				require.Equal(t, stream, packet.Stream())
				e := packet.Entry()
				e.Corrupt = false
				require.Equal(t, want[i], e)
				require.Len(t, packet.Data(), int(e.Size))
			}
		})
	}
}
