package av_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/short"
)

// openers are the demuxers that can open something else than the file that they are given, and whether they are
// refused. Those that do not read that file (AVFMT_NOFILE) are refused without being here. In FFmpeg 5.1 they are the
// objects of libavformat.a that call io_open, avformat_open_input, or a protocol by functions such as
// ffurl_open_whitelist.
var openers = map[string]bool{
	"hls": true, "dash": true, "concat": true, "imf": true, "sdp": true,
	"vapoursynth": true, "avisynth": true, // scripts

	"mov,mp4,m4a,3gp,3g2,mj2": false, // data in other files: io_open refuses
	"mlv":                     false, // further parts: io_open refuses
	"vobsub":                  false, // pictures in another file: no protocol is allowed
	"avi":                     false, // subtitles: from memory
}

// TestDemuxersOpenNothingElse gives each demuxer of FFmpeg each file that names others. Every demuxer must be known,
// because no flag of FFmpeg tells which of them open other files. A new FFmpeg may bring others.
func TestDemuxersOpenNothingElse(t *testing.T) {
	clip, err := os.ReadFile("testdata/av.mp4")
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/demuxers.txt") // those that read their file only
	require.NoError(t, err)
	harmless := strings.Fields(string(text))
	file := filepath.Join(t.TempDir(), "canary.mp4")
	require.NoError(t, os.WriteFile(file, clip, 0o644))
	bird, port := canary.New(t, file), canary.NewPort(t)
	files := references(t, bird, port)
	bird.Opened() // by references

	c, all := enter(t, t.Context()), av.Demuxers()
	assert.Greater(t, len(all), 20)
	for _, name := range all {
		first, _, _ := strings.Cut(name, ",")
		format := astiav.FindInputFormat(first)
		require.NotNil(t, format, name)
		refused, known := openers[name]
		refused = refused || format.Flags().Has(astiav.IOFormatFlagNofile)
		assert.True(t, known || refused || slices.Contains(harmless, name),
			"does the demuxer %q open other files? Its source tells: see input.c, openers and testdata/demuxers.txt", name)
		for _, f := range short.Some(files, 3) {
			in, err := av.Open(c, spool.Bytes{Data: []byte(f.content)}, av.InputOptions{Format: first})
			if err == nil {
				require.NoError(t, in.Close())
			}
			if refused {
				require.ErrorIs(t, err, spool.ErrUnsupported, "%s, %s", name, f.name)
			}
			require.False(t, bird.Opened(), "the demuxer %s opened the file that %s names", name, f.name)
			require.False(t, bird.Asked(), "the demuxer %s asked the server that %s names", name, f.name)
			require.False(t, port.Bound(), "the demuxer %s listens at the port that %s names", name, f.name)
		}
	}
}

// TestFormatsThatLeakAreRefused has the header of a format whose demuxer loses memory, by content and by name.
func TestFormatsThatLeakAreRefused(t *testing.T) {
	file := spool.Bytes{Data: append([]byte("TWIN97012000\x00\x00\x00\x20COMM\x00\x00\x00\x10"), make([]byte, 64)...)}
	for _, name := range []string{"", "vqf"} {
		_, err := av.Open(enter(t, t.Context()), file, av.InputOptions{Format: name})
		require.ErrorIs(t, err, spool.ErrUnsupported, name)
	}
}
