package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// peers is the process of loaders.py. It imports its packages once, which takes longer than many runs, and forks for
// each run. It is not safe for concurrent use.
type peers struct {
	command *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // closed when the process ends
	errors  tail
}

// startPeers starts the process. close waits for it.
func startPeers(python, script string, environment []string) (*peers, error) {
	p := &peers{command: exec.Command(python, script, "serve"), answers: make(chan []byte)} //nolint:gosec,noctx // the interpreter that was named; close ends it
	p.command.Env = environment
	p.command.Stderr = &p.errors
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its workers end with it
	p.command.WaitDelay = time.Second
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.answers)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			p.answers <- line
		}
	}()
	return p, nil
}

// errPeers reports that the process no longer answers. It has to be closed.
var errPeers = errors.New("no answer")

// run returns the output of a command line of loaders.py. A command that fails does not affect the process.
func (p *peers) run(ctx context.Context, args []string) ([]byte, error) {
	line, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	_, _ = p.in.Write(append(line, '\n')) // if the process does not read it, there is no answer
	select {
	case line, ok := <-p.answers:
		if !ok {
			return nil, errPeers
		}
		var said struct{ Output, Error string }
		if err := json.Unmarshal(line, &said); err != nil {
			return nil, fmt.Errorf("%w: %w", errPeers, err)
		}
		if said.Error != "" {
			return nil, errors.New(said.Error)
		}
		return []byte(said.Output), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errPeers, ctx.Err())
	}
}

// close ends the process and the processes that it has started. It returns the last line of its stderr.
func (p *peers) close() string {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) // fails if it has ended
	_ = p.command.Wait()
	for range p.answers { // answers in flight
	}
	return p.errors.line()
}

// tail keeps the end of the written text.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4096):]
	return len(p), nil
}

// line returns the last line.
func (t *tail) line() string {
	lines := bytes.Split(bytes.TrimSpace(t.text), []byte("\n"))
	return string(lines[len(lines)-1])
}
