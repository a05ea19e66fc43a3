package icc_test

import (
	"context"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
)

func FuzzGray(f *testing.F) { fuzz(f, icc.Gray) }
func FuzzRGB(f *testing.F)  { fuzz(f, icc.RGB) }

// fuzz checks that any profile is rejected with a class or converts rows. The corpus has no profiles with tables, since
// each takes 10 ms or more: TestDamagedProfiles has some.
func fuzz(f *testing.F, color icc.Color) {
	var files [][]byte
	for _, name := range []string{"adobe-rgb", "display-p3", "gray-1.8", "srgb"} {
		if profiles[name].color == color {
			files = append(files, lanetest.Read(f, name+".icc"))
		}
	}
	pixels := lanetest.Read(f, "pixels.bin")
	mutate.Fuzz(f, files, func(t testing.TB, profile []byte, knobs uint64) {
		c, err := call.Enter(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Leave()
		next, _, done := kept(t, 96)
		defer done()
		var transforms icc.Transforms
		defer transforms.Close()
		o := icc.Options{Color: color, Channels: 3 + int(knobs&1), Bits: 8 << (knobs >> 1 & 1), MaxMemory: 4 << 20}
		o.Width = 96 / o.Channels * 8 / o.Bits
		sink, err := transforms.NewSink(c, next.Pointer(), profile, o)
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		fuzzed.Accept()
		defer sink.Close()
		if _, err := sink.Push(pixels, 96, 2); err != nil {
			t.Fatal(err)
		}
	})
}
