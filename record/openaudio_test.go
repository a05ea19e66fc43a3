package record_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// sounds is a schema of parts of audio.
func sounds(spec audio.Spec, near bool) record.Schema {
	return record.Schema{{Name: "sound", Input: "file", Kind: record.Audio{Spec: spec, Open: audio.OpenOptions{Near: near},
		Start: record.Time{Input: "start"}, End: record.Time{Input: "end"}}}}
}

func sound(t testing.TB, set *decoders.Set, open *record.OpenFiles, s record.Schema, file string,
	start, end float64) (decoded, error) {
	t.Helper()
	number := func(x float64) []byte { return []byte(strconv.FormatFloat(x, 'g', -1, 64)) }
	return decodeAll(t, set, open, s, map[string]any{"file": "audio/" + file, "start": number(start), "end": number(end)},
		order.Draw{})
}

// Windows of a file that stays open, in any order, are those of a file that was just opened: their samples, warnings
// and errors, also of damaged files.
func TestOpenAudio(t *testing.T) {
	set := newDecoders(t)
	files, err := os.ReadDir(media + "/audio")
	require.NoError(t, err)
	for _, file := range files {
		for _, near := range []bool{false, true} {
			t.Run(fmt.Sprint(file.Name(), near), func(t *testing.T) {
				r := seed.Rand(t)
				open := openFiles(t, record.OpenFilesOptions{})
				s := sounds(audio.Spec{Rate: 16000, Channels: 1, Length: 4000, OnDamage: decode.MarkDamage}, near)
				rows := short.Of(30, 8)
				regular := true
				for range rows {
					start := r.Float64() * 2
					want, failed := sound(t, set, nil, s, file.Name(), start, start+0.3)
					got, err := sound(t, set, open, s, file.Name(), start, start+0.3)
					if failed != nil {
						regular = false
						require.EqualError(t, err, failed.Error())
						continue
					}
					require.NoError(t, err)
					require.Equal(t, want, got, "from %v", start)
					regular = regular && want.Warnings == 0
				}
				stats := open.Stats()
				switch {
				case near:
					assert.Zero(t, stats.Reused, "samples after a seek depend on what was decoded before")
				case regular:
					assert.Equal(t, [3]int64{1, int64(rows - 1), 1}, [3]int64{stats.Opened, stats.Reused, int64(stats.Idle)})
				}
			})
		}
	}
}

// A clip and its sound each keep the file open, which is closed after both.
func TestOpenVideoAndAudio(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{})
	s := record.Schema{segments[0], {Name: "sound", Input: "file", Kind: record.Audio{Like: "left",
		Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 800}}}}
	for _, start := range []string{"0.5", "0.1", "0.3"} {
		values := map[string]any{"file": "video/languages.mkv", "start": []byte(start)}
		want, err := decodeAll(t, set, nil, s, values, order.Draw{})
		require.NoError(t, err)
		got, err := decodeAll(t, set, open, s, values, order.Draw{})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	stats := open.Stats()
	assert.Equal(t, [3]int64{2, 4, 2}, [3]int64{stats.Opened, stats.Reused, int64(stats.Idle)})
}

// A loader of audio opens files itself. Files in memory are not kept.
func TestOpenAudioByItself(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{})
	data, err := os.ReadFile(media + "/audio/s16.wav")
	require.NoError(t, err)
	read := func(object spool.Object) {
		require.NoError(t, open.Audio(t.Context(), set.Audios, object, audio.OpenOptions{},
			func(a *audio.Audio) (audio.Report, error) {
				return a.ReadInto(t.Context(), make([]byte, 400), audio.Spec{Rate: 8000, Channels: 1, Length: 100})
			}))
	}
	for range 3 {
		object, err := spool.File(media+"/audio/s16.wav").OpenParts(t.Context(), 0, 0)
		require.NoError(t, err)
		read(object)
		read(spool.Bytes{Data: data, Identity: "a"})
	}
	stats := open.Stats()
	assert.Equal(t, [3]int64{4, 2, 1}, [3]int64{stats.Opened, stats.Reused, int64(stats.Idle)})
	assert.ErrorIs(t, open.Audio(t.Context(), set.Audios, spool.Bytes{Data: []byte("no audio")}, audio.OpenOptions{},
		func(*audio.Audio) (audio.Report, error) { panic("not open") }), spool.ErrNotMedia)
}
