package baseline_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// small returns files of a few KB in scope, of any sampling, size and tables, and some synthetic ones.
func small(t testing.TB) [][]byte {
	t.Helper()
	var list [][]byte
	for _, file := range picked(t, "../testdata/*.jpg") {
		data := read(t, file)
		if l, reason := baseline.ReadLayout(data); reason == baseline.Decoded && l.Width*l.Height < 1<<15 &&
			len(data) < 8<<10 {
			list = append(list, data)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		list = append(list, newSynthetic(r, tame, 100, map[string]int{}))
	}
	for range 20 {
		list = append(list, newProgressive(r, tame, 60))
	}
	if len(list) < 60 {
		t.Fatal("too few files in ", filepath.Dir("../testdata/"))
	}
	return list
}

// survive decodes damaged data, whole and an area of them. The engine must decline them, or give libjpeg-turbo's
// pixels.
func survive(t testing.TB, i *identical, data []byte, knobs uint64) baseline.Reason {
	l, reason := baseline.ReadLayout(data)
	if reason != baseline.Decoded || l.Width*l.Height > 1<<18 {
		return reason
	}
	fuzzed.Accept()
	r := rand.New(rand.NewPCG(knobs, 0))
	e := i.engines[r.IntN(len(i.engines))]
	reason, difference := i.m.planes(t, i.call, data, e)
	if difference == "" {
		_, difference = i.m.rows(t, i.call, data, knobs&2 != 0,
			[]area{{0, 0, l.Width, l.Height}, someArea(r, l.Width, l.Height)}, e)
	}
	if difference != "" {
		t.Fatalf("%s; %+v, %d bytes, gray %v", difference, l, len(data), knobs&2 != 0)
	}
	return reason
}

// FuzzAgainstTurbo checks that the engine declines any input or gives libjpeg-turbo's bytes.
func FuzzAgainstTurbo(f *testing.F) {
	i := newIdentical(f, nil)
	mutate.Fuzz(f, small(f), func(t testing.TB, data []byte, knobs uint64) { survive(t, i, data, knobs) })
}

// TestCorpus runs the inputs that the libFuzzer target has saved.
func TestCorpus(t *testing.T) {
	i, files := newIdentical(t, nil), picked(t, "fuzz/corpus/*")
	count := map[baseline.Reason]int{}
	for n, file := range files {
		for knobs := range uint64(4) {
			count[survive(t, i, read(t, file), uint64(4*n)+knobs)]++
		}
	}
	t.Log(count)
	assert.Greater(t, len(files), 100)
	assert.Greater(t, len(count), 12)
}

// A file that ends anywhere before its end marker is declined, and libjpeg-turbo reports what is missing. Small files
// are cut at every byte, larger ones at some bytes.
func TestTruncation(t *testing.T) {
	i, everywhere := newIdentical(t, nil), 0
	for _, data := range small(t) {
		step := short.Of(7, 28)
		if len(data) < 2000 {
			step = short.Of(1, 4)
			everywhere++
		}
		end := bytes.LastIndex(data, []byte{0xFF, 0xD9}) + 2
		for n := 0; n < end; n += step {
			cut := bytes.Clone(data[:n]) // the address sanitizer detects reads beyond this copy
			if reason := survive(t, i, cut, uint64(n)); reason == baseline.Decoded {
				t.Fatalf("%d bytes of %d are decoded", n, len(data))
			}
		}
	}
	assert.GreaterOrEqual(t, everywhere, 20)
}

// libjpeg-turbo refuses an MCU of twelve blocks.
func TestTooManyBlocks(t *testing.T) {
	data := read(t, "../testdata/s444.jpg")
	frame := bytes.Index(data, []byte{0xFF, 0xC0})
	for c := range 3 {
		data[frame+11+3*c] = 0x22
	}
	_, reason := baseline.ReadLayout(data)
	assert.Equal(t, baseline.Sampling, reason)
	data[frame+11+3*2] = 0x12
	l, reason := baseline.ReadLayout(data)
	assert.Equal(t, baseline.Decoded, reason)
	assert.Equal(t, 2, l.SubX)
}

// Changes after the header, in the coded data.
func TestMutations(t *testing.T) {
	r, i := seed.Rand(t), newIdentical(t, nil)
	files, count := small(t), map[baseline.Reason]int{}
	for range 2 * *generated {
		data := bytes.Clone(files[r.IntN(len(files))])
		scan := bytes.Index(data, []byte{0xFF, 0xDA})
		for range 1 + r.IntN(3) {
			at := scan + r.IntN(len(data)-scan)
			switch r.IntN(6) {
			case 0: // any byte, including tables and frame
				data[r.IntN(len(data))] = byte(r.Uint32())
			case 1:
				data[at] = byte(r.Uint32())
			case 2:
				data[at] ^= 1 << r.IntN(8)
			case 3: // a marker at an invalid position
				copy(data[at:], []byte{0xFF, 0xC0 + byte(r.IntN(64))})
			case 4: // a range is removed
				data = append(data[:at], data[min(at+1+r.IntN(30), len(data)):]...)
			case 5: // a range is repeated
				piece := data[at:min(at+1+r.IntN(200), len(data))]
				data = slices.Concat(data[:at], piece, data[at:])
			}
			scan = min(scan, len(data)-1)
		}
		count[survive(t, i, data, r.Uint64())]++
	}
	t.Log(count)
	assert.Greater(t, len(count), 8)
}
