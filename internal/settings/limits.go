package settings

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool/decode"
)

// Limits defines the settings that bound what one input may cost.
func (s *Set) Limits(l *decode.Limits) {
	for _, x := range []struct {
		name, def, help string
		field           *int64
	}{
		{"max-pixels", "178956970", "largest picture in pixels, 0 for no limit", &l.MaxPixels},
		{"max-bytes", "1GiB", "largest file, 0 for no limit", &l.MaxBytes},
		{"max-frames", "4096", "most frames of an animated picture, 0 for no limit", &l.MaxFrames},
		{"max-memory", "2GiB", "most memory for one decode, 0 for no limit", &l.MaxMemory},
	} {
		s.Add(x.name, "N", x.def, x.help, func(text string) (err error) {
			*x.field, err = parseLimit(text)
			return err
		})
	}
}

// Bytes defines a setting for an amount of memory, like 1GiB.
func (s *Set) Bytes(name string, p *int64, help string) {
	s.Add(name, "N", "", help, func(text string) error {
		n, err := parseLimit(text)
		if err == nil {
			*p = max(0, n) // of which no limit is none
		}
		return err
	})
}

// Sizes defines a setting for a list of amounts of memory, each of a byte at least.
func (s *Set) Sizes(name string, p *[]int, def, help string) {
	s.Add(name, "LIST", def, help, func(text string) error {
		*p = nil
		for word := range strings.SplitSeq(text, ",") {
			n, err := parseLimit(word)
			if err != nil || n < 1 {
				return errors.New("a list like 1MiB,64MiB")
			}
			*p = append(*p, int(n))
		}
		return nil
	})
}

// Fits refuses batches, of samples of so many pictures, that are larger than the machine's memory.
func (s *Set) Fits(batch, frames int, spec decode.ImageSpec) {
	w, h, _ := spec.Resize.Size()
	size := fmt.Sprintf("--size %dx%d", w, h)
	if frames > 1 {
		size = fmt.Sprintf("--frames %d ", frames) + size
	}
	s.holds(batch, float64(frames)*float64(w)*float64(h)*float64(spec.Color.Channels()*spec.DType.Size()), size)
}

// holds refuses a batch of samples of so many bytes, which size says in settings, if this machine does not hold it.
func (s *Set) holds(batch int, sample float64, size string) {
	need := float64(batch) * sample
	if memory := MachineMemory(); memory > 0 && need > float64(memory) {
		s.Refuse("--batch %d %s: a batch of %.1f GiB, this machine has %.1f", batch, size, need/(1<<30), float64(memory)/(1<<30))
	}
}

// MachineMemory is the machine's memory in bytes; 0 if unknown.
func MachineMemory() int64 {
	var i syscall.Sysinfo_t
	if err := syscall.Sysinfo(&i); err != nil {
		return 0
	}
	return int64(i.Totalram) * int64(i.Unit)
}
