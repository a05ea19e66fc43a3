package decode_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// flacFiles are all FLAC files at hand.
func flacFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{filepath.Join(media, "audio/*.flac"), filepath.Join(shared, "*/*.flac")} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, some...)
	}
	require.NotEmpty(t, files)
	return files
}

// soundBytes is a result as it lies in memory.
func soundBytes(t testing.TB, a *decode.Audio, spec decode.AudioSpec) []byte {
	t.Helper()
	s, err := a.Read(ctx, spec)
	require.NoError(t, err)
	defer s.Release()
	return bytes.Clone(s.Bytes())
}

// Both engines say and give the same of each file.
func TestFLACEngines(t *testing.T) {
	own, ffmpeg := newDecoder(t, decode.Options{}), newDecoder(t, decode.Options{FLAC: decode.FLACFFmpeg})
	for _, name := range flacFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, b := openAudio(t, own, name), openAudio(t, ffmpeg, name)
			assert.Equal(t, b.Info(), a.Info())
			for _, spec := range []decode.AudioSpec{{}, {DType: spool.Int16}, {DType: spool.Int32, Layout: spool.TC}, {Rate: 16000, Channels: 1}} {
				spec.OnDamage = decode.MarkDamage
				ours, theirs := soundBytes(t, a, spec), soundBytes(t, b, spec)
				assert.True(t, bytes.Equal(theirs, ours), "%v", spec)
			}
		})
	}
	t.Log(own.FLAC(), ffmpeg.FLAC())
}
