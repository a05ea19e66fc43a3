package mutate

import (
	"bytes"
	"image/jpeg"
	"image/png"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/wav"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/short"
)

// kind is a container, and files of it.
type kind struct {
	of    *container
	files []string
}

// kinds are all containers. Each has small files in the tree.
var kinds = map[string]kind{
	"jpeg":       {&jpegFiles, []string{"testdata/hard/good/*.jpg", "cbridge/jpeg/testdata/*.jpg"}},
	"png":        {&pngFiles, []string{"testdata/hard/good/*.png", "cbridge/png/testdata/*.png"}},
	"mp4":        {&boxes, []string{"testdata/video/*.mp4", "testdata/video/*.mov", "cbridge/av/testdata/*.mp4"}},
	"avif":       {&boxes, []string{"cbridge/avif/testdata/*.avif"}},
	"jp2":        {&boxes, []string{"cbridge/jp2/testdata/*.jp2", "cbridge/jp2/testdata/*.jph"}},
	"codestream": {&codestream, []string{"cbridge/jp2/testdata/*.j2k"}},
	"ebml":       {&ebml, []string{"testdata/video/*.webm", "testdata/video/*.mkv"}},
	"wav":        {&riff, []string{"testdata/audio/*.wav", "cbridge/av/testdata/*.wav"}},
	"webp":       {&riff, []string{"testdata/hard/good/*.webp", "cbridge/webp/testdata/*.webp"}},
	"flac":       {&flac, []string{"testdata/audio/*.flac", "cbridge/av/testdata/*.flac"}},
	"ogg":        {&ogg, []string{"testdata/audio/*.ogg", "testdata/audio/*.opus", "cbridge/av/testdata/*.opus"}},
}

func (k kind) read(t testing.TB) (all [][]byte) {
	for _, pattern := range k.files {
		names, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		if len(names) > 0 {
			all = append(all, Files(t, 128<<10, "../../"+pattern)...)
		}
	}
	kept := all[:0]
	for _, data := range all {
		if containerOf(data) == k.of {
			kept = append(kept, data)
		}
	}
	require.NotEmpty(t, kept)
	return kept
}

// A file that was not changed is written as it was read, and has no piece that was not understood.
func TestFilesAreKept(t *testing.T) {
	for name, k := range kinds {
		for i, data := range k.read(t) {
			assert.True(t, bytes.Equal(data, k.of.file(k.of.read(data))) ||
				name == "flac" || name == "wav", "%s %d", name, i) // some are damaged
			assert.Greater(t, len(k.of.read(data).all()), 1, "%s %d", name, i)
		}
	}
	for _, data := range samples {
		assert.Equal(t, data, Sealed(data))
	}
}

// Edits that only arrange elements leave a file whose lengths and sums are right, as another reader finds them.
func TestSumsAreRight(t *testing.T) {
	check := map[string]func(data []byte) error{"png": checkChunks, "mp4": checkBoxes, "avif": checkBoxes,
		"jp2": checkBoxes, "ebml": checkEBML, "wav": checkRIFF, "webp": checkRIFF, "ogg": checkPages, "flac": checkFrames,
		"jpeg": checkSegments, "codestream": checkCodestream}
	for name, k := range kinds {
		require.NotNil(t, check[name], name)
		arrange := []edit{drop, double, swap, insertForeign, graft}
		switch name {
		case "jp2": // no segments among boxes
			arrange = arrange[:4]
		case "ogg": // no packets among pages
			arrange = arrange[:3]
		case "flac": // no metadata among frames
			arrange = []edit{drop, renumberFLAC}
		}
		r := rand.New(rand.NewPCG(1, 2))
		for i, data := range k.read(t) {
			if check[name](data) != nil { // it is damaged
				continue
			}
			for range 20 {
				tr := &tree{container: k.of, root: k.of.read(data), files: [][]byte{data}}
				for range 1 + r.IntN(4) {
					arrange[r.IntN(len(arrange))](r, tr)
				}
				require.NoError(t, check[name](k.of.file(tr.root)), "%s %d", name, i)
			}
		}
	}
}

// Each edit changes files of each format, in the same way each time.
func TestEdits(t *testing.T) {
	for name, k := range kinds {
		files := k.read(t)
		changed, rounds := 0, short.Of(uint64(200), 40)
		for i := range rounds {
			data := files[i%uint64(len(files))]
			kept := bytes.Clone(data)
			file := structured(rand.New(rand.NewPCG(i, 3)), k.of, data, files)
			again := structured(rand.New(rand.NewPCG(i, 3)), k.of, data, files)
			require.True(t, bytes.Equal(file, again), "%s %d", name, i)
			require.True(t, bytes.Equal(kept, data), "%s %d: the file itself is left alone", name, i)
			if file != nil {
				changed++
				require.False(t, bytes.Equal(file, data), "%s %d", name, i)
			}
		}
		assert.Greater(t, changed, short.Of(180, 30), name)
		for j, e := range append(common(), k.of.edits...) {
			done := false
			for i := range uint64(200) {
				if done && testing.Short() {
					break
				}
				data := files[i%uint64(len(files))]
				tr := &tree{container: k.of, root: k.of.read(data), files: files}
				drop(rand.New(rand.NewPCG(i, 5)), tr)
				before := k.of.file(tr.root)
				done = done || e(rand.New(rand.NewPCG(i, 4)), tr) && !bytes.Equal(k.of.file(tr.root), before)
			}
			assert.True(t, done || name == "png" && j == len(common())+2, "%s: edit %d", name, j) // animations are few
		}
	}
}

// Structured changes leave more headers that a decoder accepts than blind ones do.
func TestAccepted(t *testing.T) {
	accepts := map[string]func(data []byte) bool{
		"jpeg": func(data []byte) bool { _, err := jpeg.DecodeConfig(bytes.NewReader(data)); return err == nil },
		"png":  func(data []byte) bool { _, err := png.DecodeConfig(bytes.NewReader(data)); return err == nil },
		"wav":  func(data []byte) bool { _, err := wav.ReadHeader(bytes.NewReader(data)); return err == nil },
	}
	for name, accept := range accepts {
		files := kinds[name].read(t)
		var structure, bytewise int
		for i := range 200 {
			data := files[i%len(files)]
			if file := structured(rand.New(rand.NewPCG(uint64(i), 5)), kinds[name].of, data, files); accept(file) {
				structure++
			}
			if accept(blind(rand.New(rand.NewPCG(uint64(i), 5)), bytes.Clone(data), files)) {
				bytewise++
			}
		}
		t.Logf("%s: %d of 200, and %d of blind ones", name, structure, bytewise)
		if name != "wav" { // whose fields determine each other
			assert.Greater(t, structure, bytewise*5/4, name)
		}
	}
}

// FuzzContainers: no bytes end the mutators.
func FuzzContainers(f *testing.F) {
	var files [][]byte
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		all := kinds[name].read(f)
		slices.SortFunc(all, func(a, b []byte) int { return len(a) - len(b) })
		files = append(files, all[:min(len(all), 4)]...)
	}
	Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) {
		c := containerOf(data)
		if c == nil {
			return
		}
		fuzzed.Accept()
		Sealed(data)
		kept := bytes.Clone(data)
		structured(rand.New(rand.NewPCG(knobs, 0)), c, data, [][]byte{data})
		if !bytes.Equal(kept, data) {
			t.Fatal("the file itself was changed")
		}
	})
}

// Files that end anywhere, and signatures with noise behind them.
func TestAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, k := range kinds {
		data := slices.MinFunc(k.read(t), func(a, b []byte) int { return len(a) - len(b) })
		for n := 0; n <= min(len(data), 1500); n++ {
			for _, file := range [][]byte{data[:n], append(bytes.Clone(data[:min(n, 12)]), noise(r, n)...)} {
				if c := containerOf(file); c != nil {
					Sealed(file)
					structured(r, c, file, [][]byte{file})
				}
			}
		}
	}
}
