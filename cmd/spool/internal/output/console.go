package output

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Console is what a person watches while a command runs: lines and, on a terminal, a status in the last line that is
// overwritten. It is safe for concurrent use.
type Console struct {
	mu     sync.Mutex
	w      io.Writer
	fd     int  // of a terminal, else -1
	status bool // the last line is one
}

// NewConsole returns a console on w, which may be a terminal.
func NewConsole(w io.Writer) *Console {
	c := &Console{w: w, fd: -1}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		c.fd = int(file.Fd())
	}
	return c
}

// Terminal reports whether a changing status is visible.
func (c *Console) Terminal() bool { return c.fd >= 0 }

// Line prints a line.
func (c *Console) Line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	fmt.Fprintln(c.w, text)
}

// Show replaces the status; without a terminal it prints a line.
func (c *Console) Show(status string) {
	if !c.Terminal() {
		c.Line(status)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	if width, _, err := term.GetSize(c.fd); err == nil && width > 0 && len(status) >= width {
		status = status[:width-1] // a second line could not be wiped
	}
	fmt.Fprint(c.w, status)
	c.status = true
}

// Clear removes the status.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
}

func (c *Console) wipe() {
	if c.status {
		fmt.Fprint(c.w, "\r\x1b[K") // to the beginning of the line, and erase it
		c.status = false
	}
}
