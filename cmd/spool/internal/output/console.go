package output

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Console is where a person looks while a command runs: lines, and on a terminal a status in the last line
// that is written over. It is safe for concurrent use.
type Console struct {
	mu     sync.Mutex
	w      io.Writer
	fd     int  // of a terminal, else -1
	status bool // one stands in the last line
}

// NewConsole finds out whether w is a terminal.
func NewConsole(w io.Writer) *Console {
	c := &Console{w: w, fd: -1}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		c.fd = int(file.Fd())
	}
	return c
}

// Terminal reports whether somebody sees the status change.
func (c *Console) Terminal() bool { return c.fd >= 0 }

// Line prints a line.
func (c *Console) Line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	fmt.Fprintln(c.w, text)
}

// Show replaces the status; without a terminal it is a line like others.
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

// Clear takes the status away.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
}

func (c *Console) wipe() {
	if c.status {
		fmt.Fprint(c.w, "\r\x1b[K") // to the line's begin, and erase to its end
		c.status = false
	}
}
