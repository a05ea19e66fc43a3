package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress tells how a run gets on: on a terminal a line that is written over, elsewhere a line every few
// seconds after the first batch.
type progress struct {
	w        io.Writer
	s        *summary
	total    int // samples expected
	terminal bool
	next     time.Time
}

func newProgress(w io.Writer, s *summary, total int) *progress {
	file, ok := w.(*os.File)
	return &progress{w: w, s: s, total: total, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

// show is called after each batch.
func (p *progress) show() {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	pause, form := 5*time.Second, "%s\n"
	if p.terminal {
		pause, form = 200*time.Millisecond, "\r\x1b[K%s"
	}
	if !p.next.IsZero() || p.terminal {
		fmt.Fprintf(p.w, form, p.line())
	}
	p.next = now.Add(pause)
}

func (p *progress) line() string {
	rate := p.s.rate()
	left := time.Duration(float64(p.total-p.s.Samples) / max(rate, 1e-9) * float64(time.Second))
	return fmt.Sprintf("%d/%d samples  %.1f/s  %v left", p.s.Samples, p.total, rate, max(left, 0).Round(time.Second))
}

// end leaves the terminal's line.
func (p *progress) end() {
	if p.terminal && !p.next.IsZero() {
		fmt.Fprintf(p.w, "\r\x1b[K")
	}
}
