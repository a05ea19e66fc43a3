package icc_test

import (
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/icc"
)

// FuzzProfile: whatever the bytes of a profile are, it is refused with a class or converts rows.
func FuzzProfile(f *testing.F) {
	for name, profile := range profiles {
		if profile.color != icc.CMYK { // 50 ms each
			f.Add(read(f, name+".icc"), byte(profile.color))
		}
	}
	pixels := read(f, "pixels.bin")
	f.Fuzz(func(t *testing.T, profile []byte, color byte) {
		c, transforms := enter(t), icc.Transforms{}
		defer transforms.Close()
		o := icc.Options{Color: icc.Color(color % 3), Channels: 4, Width: 24, MaxMemory: 4 << 20}
		next, _ := keep(t, 96)
		sink, err := transforms.NewSink(c, next.Pointer(), profile, o)
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		defer sink.Close()
		if o.Color == icc.CMYK {
			return // the next sink is for rows of another size
		}
		if _, err := sink.Push(pixels, 96, 2); err != nil {
			t.Fatal(err)
		}
	})
}
