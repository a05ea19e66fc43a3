package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
)

// Limits defines the settings that bound the cost of one input.
func (s *Set) Limits(l *decode.Limits) {
	for _, x := range []struct {
		name, def, help string
		field           *int64
	}{
		{"max-pixels", "178956970", "largest image in pixels, 0 for no limit", &l.MaxPixels},
		{"max-bytes", "1GiB", "largest file, 0 for no limit", &l.MaxBytes},
		{"max-frames", "4096", "most frames of an animated image, 0 for no limit", &l.MaxFrames},
		{"max-memory", "2GiB", "most memory for one decode, 0 for no limit", &l.MaxMemory},
	} {
		s.Add(x.name, "N", x.def, x.help, func(text string) (err error) {
			*x.field, err = parseLimit(text)
			return err
		})
	}
	s.Add("max-cpu", "S", "", "most processor time of one image, or request for video or audio, in seconds, 0 for no "+
		"limit (default 10 for an image and 60 for a request, and more for large ones)", func(text string) error {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds <= 1e9) {
			return errors.New("must be a number of seconds like 30, or 0 for no limit")
		}
		if l.MaxCPU = time.Duration(seconds * float64(time.Second)); l.MaxCPU == 0 {
			l.MaxCPU = -1
		}
		return nil
	})
}

// Bytes defines a setting for an amount of memory, like 1GiB.
func (s *Set) Bytes(name string, p *int64, help string) {
	s.Add(name, "N", "", help, func(text string) error {
		n, err := parseLimit(text)
		if err == nil {
			*p = max(0, n) // no limit is stored as 0
		}
		return err
	})
}

// Sizes defines a setting for a list of amounts of memory, each at least one byte.
func (s *Set) Sizes(name string, p *[]int, def, help string) {
	s.Add(name, "LIST", def, help, func(text string) error {
		*p = nil
		for word := range strings.SplitSeq(text, ",") {
			n, err := parseLimit(word)
			if err != nil || n < 1 {
				return errors.New("must be a list like 1MiB,64MiB")
			}
			*p = append(*p, int(n))
		}
		return nil
	})
}

// Fits refuses batches that are larger than the machine's memory. A sample has the given number of frames.
func (s *Set) Fits(batch, frames int, spec image.Spec) {
	w, h, _ := spec.Resize.Size()
	size := fmt.Sprintf("--size=%dx%d", w, h)
	if frames > 1 {
		size = fmt.Sprintf("--frames=%d ", frames) + size
	}
	s.checkMemory(batch, float64(frames)*float64(w)*float64(h)*float64(spec.Color.Channels()*spec.DType.Size()), size)
}

// checkMemory refuses a batch that is larger than the machine's memory. sample is the bytes of a sample, and size the
// settings that determine them.
func (s *Set) checkMemory(batch int, sample float64, size string) {
	need := float64(batch) * sample
	if memory := MachineMemory(); memory > 0 && need > float64(memory) {
		s.Refuse("--batch=%d %s: a batch needs %.1f GiB of memory, and this machine has %.1f; load fewer or smaller samples",
			batch, size, need/(1<<30), float64(memory)/(1<<30))
	}
}

// MachineMemory returns the machine's memory in bytes, or 0 if unknown.
func MachineMemory() int64 {
	var i syscall.Sysinfo_t
	if err := syscall.Sysinfo(&i); err != nil {
		return 0
	}
	return int64(i.Totalram) * int64(i.Unit)
}
