package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// console is where a person looks while a command runs: lines, and on a terminal a status in the last line
// that is written over. It is safe for concurrent use.
type console struct {
	mu     sync.Mutex
	w      io.Writer
	fd     int  // of a terminal, else -1
	status bool // one stands in the last line
}

func newConsole(w io.Writer) *console {
	c := &console{w: w, fd: -1}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		c.fd = int(file.Fd())
	}
	return c
}

func (c *console) terminal() bool { return c.fd >= 0 }

// line prints a line.
func (c *console) line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	fmt.Fprintln(c.w, text)
}

// show replaces the status; without a terminal it is a line like others.
func (c *console) show(status string) {
	if !c.terminal() {
		c.line(status)
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

// clear takes the status away.
func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
}

func (c *console) wipe() {
	if c.status {
		fmt.Fprint(c.w, "\r\x1b[K") // to the line's begin, and erase to its end
		c.status = false
	}
}
