package jp2_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
)

// FuzzDecode: any bytes give an image or an error with a class, and the same result twice.
func FuzzDecode(f *testing.F) {
	var files [][]byte
	for name, want := range lanetest.Goldens[golden](f) {
		if want.Width < 100 {
			files = append(files, lanetest.Read(f, name))
		}
	}
	slices.SortFunc(files, slices.Compare[[]byte])
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) { survive(t, data, knobs) })
}

// survive decodes an image, whole or in part, and checks the invariants that hold for any input.
func survive(t testing.TB, data []byte, knobs uint64) {
	h, err := jp2.ReadHeader(data)
	if err != nil {
		lanetest.RequireClass(t, err)
		return
	}
	if h.Width < 1 || h.Height < 1 || h.Channels() < 1 || h.Channels() > 4 || h.Bits < 1 || h.Bits > 31 ||
		h.Memory() <= 0 {
		t.Fatalf("impossible header %+v", h)
	}
	const most = 32 << 20
	if h.Memory() > most || h.Width*h.Height > 1e6 {
		return
	}
	fuzzed.Accept()
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	p := lanetest.All(h.Width, h.Height)
	if knobs&1 != 0 { // a crop
		p.Left, p.Top = int(knobs>>8%uint64(h.Width)), int(knobs>>24%uint64(h.Height))
	}
	channels := []int{3, 4}[knobs>>1&1]
	to := newTarget(t, h, p, channels, knobs>>2&1 != 0)
	defer to.Close()
	to.o.Partial = knobs>>3&1 != 0
	to.o.Inks = h.Color == jp2.CMYK && channels == 4 && knobs>>4&1 != 0
	if _, err = jp2.Decode(c, h, to.o); err != nil {
		lanetest.RequireClass(t, err)
		return
	}
	if rows := to.Sink.Rows(); rows != p.Bottom-p.Top {
		t.Fatalf("%d of %d rows, and no error", rows, p.Bottom-p.Top)
	}
	again := newTarget(t, h, p, channels, to.o.Wide)
	defer again.Close()
	again.o.Inks, again.o.Partial = to.o.Inks, to.o.Partial // a crop may need no part of a missing tile
	if _, err = jp2.Decode(c, h, again.o); err != nil || !slices.Equal(to.Pixels, again.Pixels) {
		t.Fatalf("another image the second time: %v", err)
	}
}

// TestMutations decodes mutated files in each test run.
func TestMutations(t *testing.T) {
	all := lanetest.Goldens[golden](t)
	require.NotEmpty(t, all)
	mutated := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].Width > 100 {
			continue
		}
		data := lanetest.Read(t, name)
		for i := range 20 {
			damaged := slices.Clone(data)
			for k := range 1 + i%3 {
				at := (i*7919 + k*104729 + len(name)*31) % min(len(data), 40+i*len(data)/20)
				damaged[at] ^= byte(1 << (i % 8))
			}
			survive(t, damaged, uint64(i)*0x9e3779b97f4a7c15)
			mutated++
		}
	}
	t.Logf("%d files", mutated)
}
