package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var progress = regexp.MustCompile(`^fuzz: elapsed: ([^,]+), execs: (\d+)`)

// explore runs one target by Go's fuzz engine, and takes the number of executions from its progress lines. It does what
// `go test -fuzz` does, but builds the tests before, so that the time of processors is that of the target alone.
func (s *tests) explore(t target, each time.Duration) (r result, err error) {
	b, err := describe(t.pkg, s.folder)
	if err != nil {
		return r, err
	}
	b.path += ".engine"
	defer os.Remove(b.path)                                          // all tests together would take gigabytes
	if err := b.build(s.asan, "-fuzz", "^"+t.name+"$"); err != nil { // which instruments them
		return r, err
	}
	cache, err := command("env", "GOCACHE").Output()
	if err != nil {
		return r, err
	}
	accepted, err := newAcceptance()
	if err != nil {
		return r, err
	}
	defer accepted.remove()
	cmd := exec.Command(b.path, "-test.paniconexit0", "-test.run", "^$", "-test.fuzz", "^"+t.name+"$",
		"-test.fuzztime", each.String(),
		"-test.fuzzminimizetime", "10x", // by default, each interesting input is minimized for up to a minute
		"-test.fuzzcachedir", filepath.Join(strings.TrimSpace(string(cache)), "fuzz", t.pkg))
	cmd.Dir = b.folder
	cmd.Env = accepted.environment()
	var kept bytes.Buffer
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	cmd.Stderr = cmd.Stdout // the engine writes its progress there, and a failing test writes to both
	before := cpuOfChildren()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	lines := bufio.NewScanner(io.TeeReader(out, &kept))
	for lines.Scan() {
		m := progress.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		if elapsed, err := time.ParseDuration(m[1]); err == nil {
			r.seconds = elapsed.Seconds()
		}
		r.executions, _ = strconv.ParseInt(m[2], 10, 64) // the expression matches only digits
	}
	err = errors.Join(lines.Err(), cmd.Wait())
	r.cpu = cpuOfChildren() - before
	if err != nil && !timedOut(kept.Bytes()) {
		os.Stdout.Write(kept.Bytes())
		return r, err
	}
	return r, accepted.of(&r)
}

// timedOut reports whether a run failed only because a worker answered after the time limit, which the engine sometimes
// counts as a failure. A real finding always writes its input.
func timedOut(output []byte) bool {
	return bytes.Contains(output, []byte("context deadline exceeded")) &&
		!bytes.Contains(output, []byte("Failing input written to"))
}
