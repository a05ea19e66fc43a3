package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/need"
)

var (
	faultCommand = flag.String("fault-command", "", "the `command` in which calls fail; by default this test binary")
	faultAll     = flag.Bool("fault-all", false, "have each call fail, not one of each kind")
	faultRecord  = flag.String("fault-record", "", "the `file` that gets the counts")
	faultCommit  = flag.String("fault-commit", "", "the `commit` that the record names")
	faultOnly    = flag.String("fault-only", "", "the operations to run, separated by commas; by default all")
)

// fault is what happens to a system call.
type fault struct {
	name string
	err  syscall.Errno
	half int  // transfer this number of bytes
	kill bool // the process dies before the call
}

// faultKind is calls that fail alike.
type faultKind struct {
	name   string
	calls  []string
	faults []fault
}

var faultKinds = []faultKind{
	{"open", []string{"openat"}, []fault{{name: "EIO", err: unix.EIO}, {name: "EMFILE", err: unix.EMFILE}}},
	{"read", []string{"read", "pread64"}, []fault{{name: "EIO", err: unix.EIO}, {name: "EINTR", err: unix.EINTR},
		{name: "short", half: 1}}},
	{"write", []string{"write", "pwrite64"}, []fault{{name: "ENOSPC", err: unix.ENOSPC}, {name: "EIO", err: unix.EIO},
		{name: "short", half: 1}, {name: "kill", kill: true}}},
	{"sync", []string{"fsync", "fdatasync"}, []fault{{name: "EIO", err: unix.EIO}, {name: "kill", kill: true}}},
	{"rename", []string{"rename", "renameat", "renameat2"}, []fault{{name: "ENOSPC", err: unix.ENOSPC},
		{name: "kill", kill: true}}},
	{"folder", []string{"mkdirat", "unlinkat", "ftruncate"}, []fault{{name: "EIO", err: unix.EIO}}},
	{"memory", []string{"mmap", "memfd_create"}, []fault{{name: "ENOMEM", err: unix.ENOMEM}}},
	{"socket", []string{"socketpair"}, []fault{{name: "EMFILE", err: unix.EMFILE}}},
}

// faultCalls are the calls of all kinds.
func faultCalls() (all []string) {
	for _, k := range faultKinds {
		all = append(all, k.calls...)
	}
	return all
}

// counts reports whether a call counts for an operation. Those of the dynamic linker, of Go's scheduler and of Go's
// heap do not: without them there is no process. Only `spool probe` tests what all commands do at their start.
func (o *operation) counts(c *inject.Call) bool {
	switch {
	case c.Origin == inject.Linker, strings.HasPrefix(c.Path, "anon_inode:"):
		return false
	case strings.HasPrefix(c.Path, "pipe:") && !strings.Contains(c.Name, "write"):
		return false // such a read does not fail, and Go would wait for a child whose start it takes for failed
	case c.Path == "/proc/sys/crypto/fips_enabled", strings.HasPrefix(c.Path, "/sys/devices/system/node"):
		return false // libgcrypt and libnuma, when they are loaded: one ends the process, one prints a line
	case c.Name == "mmap": // Go's heap comes through the C library
		return c.Origin == inject.Program
	case o.name == "probe", c.Path == "", !strings.HasPrefix(c.Path, "/"):
		return true
	}
	for _, other := range []string{"/proc/", "/sys/", "/etc/", "/usr/", "/dev/"} {
		if strings.HasPrefix(c.Path, other) {
			return false
		}
	}
	return true
}

// faultTally is the outcomes of an operation with one fault.
type faultTally struct {
	Injected int `json:"injected"`
	Survived int `json:"survived,omitempty"` // the result was the same
	Reported int `json:"reported,omitempty"` // a sample failed, and was reported
	Refused  int `json:"refused,omitempty"`  // exit code 1
	Killed   int `json:"killed,omitempty"`   // by the test
	Stopped  int `json:"stopped,omitempty"`  // by Go's runtime or GLib, which do not go on without memory
}

// TestFaults has system calls fail in the command, one in each run. Nothing crashes or hangs; results are right or an
// error is reported; files are whole, and a repeated command gives the full result.
func TestFaults(t *testing.T) {
	withoutRace(t)
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("SPOOL_HELPER", self) // of calls in this process
	eachOperation(t, "calls", operations(t), func(t *testing.T, i int, o *operation, tallies map[string]*faultTally) {
		whole := o.whole(t)
		numbers := o.numbers(t, whole)
		for j, k := range faultKinds {
			all := numbers[k.name]
			for m, f := range k.faults {
				if !*faultAll && m != (i+j)%len(k.faults) {
					continue
				}
				tally := &faultTally{}
				for n := 1; n <= all; n++ {
					if *faultAll || n == 1+(i*7+j*3)%all {
						o.inject(t, whole, k, f, n, tally)
					}
				}
				if tally.Injected > 0 {
					tallies[k.name+" "+f.name] = tally
				}
			}
		}
	})
}

// eachOperation runs a test for each operation, in short mode for every fourth, and records its tallies in a section.
// i is the operation's number.
func eachOperation(t *testing.T, section string, all []*operation,
	test func(t *testing.T, i int, o *operation, tallies map[string]*faultTally)) {
	t.Helper()
	for i, o := range all {
		if !chosen(o) || testing.Short() && !*faultAll && i%4 > 0 {
			continue
		}
		tallies := map[string]*faultTally{}
		t.Run(o.name, func(t *testing.T) { test(t, i, o, tallies) })
		recordFaults(t, section, o.name, tallies)
	}
}

// chosen reports whether an operation is among those of -fault-only.
func chosen(o *operation) bool {
	return *faultOnly == "" || slices.Contains(strings.Split(*faultOnly, ","), o.name)
}

// faultOutcome is an operation in the record, which has those of several builds.
type faultOutcome struct {
	Date   string                 `json:"date"`
	Commit string                 `json:"commit"`
	Faults map[string]*faultTally `json:"faults"`
}

// recordFaults sets the counts of an operation in the file of -fault-record, so that an ended run keeps what it did.
func recordFaults(t *testing.T, section, operation string, tallies map[string]*faultTally) {
	t.Helper()
	if *faultRecord == "" {
		return
	}
	all := map[string]map[string]faultOutcome{}
	text, err := os.ReadFile(*faultRecord)
	if err == nil {
		require.NoError(t, json.Unmarshal(text, &all))
	}
	if all[section] == nil {
		all[section] = map[string]faultOutcome{}
	}
	all[section][operation] = faultOutcome{time.Now().UTC().Format(time.RFC3339), *faultCommit, tallies}
	text, err = json.MarshalIndent(all, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*faultRecord, append(text, '\n'), 0o644))
}

// ended is how a command ended.
type ended struct {
	code           int // minus the signal
	stdout, stderr string
}

// faulty returns the command of an operation in a folder, not yet started. Five minutes are a hang, of which its errors
// have the stacks.
func (o *operation) faulty(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	c := process(t, o.arguments(folder)...)
	if *faultCommand != "" {
		c.Path = *faultCommand
	}
	limited := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	limited.Env = append(slices.Clone(c.Env), "SPOOL_HELPER=") // the command is its own helper
	limited.Cancel = func() error {
		t.Logf("it hangs:\n%s", inject.Threads(limited.Process.Pid))
		return limited.Process.Signal(unix.SIGABRT) // Go prints the stacks
	}
	limited.WaitDelay = 10 * time.Second
	return limited
}

// run runs the command, with some of its calls decided by the test: faultCalls, and more.
func (o *operation) run(t *testing.T, c *exec.Cmd, decide func(*inject.Call) inject.Outcome, more ...string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	var err error
	if decide == nil {
		err = c.Run()
	} else {
		err = inject.Run(c, append(faultCalls(), more...), decide)
	}
	if errors.Is(err, inject.ErrRefused) {
		need.Skip(t, need.System, "%v", err)
	}
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	code := c.ProcessState.ExitCode()
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		code = -int(status.Signal())
	}
	return ended{code, o.result(stdout.String()), progress.ReplaceAllString(stderr.String(), "")}
}

// progress are the lines that a run prints every few seconds.
var progress = regexp.MustCompile(`(?m)^\d+(/\d+)? samples, .*\n`)

// numbers returns how many calls of each kind an operation makes.
func (o *operation) numbers(t *testing.T, whole ended) map[string]int {
	t.Helper()
	folder, numbers := o.folder(t), map[string]int{}
	got := o.run(t, o.faulty(t, folder), func(c *inject.Call) inject.Outcome {
		for _, k := range faultKinds {
			if slices.Contains(k.calls, c.Name) && o.counts(c) {
				numbers[k.name]++
			}
		}
		return inject.Outcome{}
	})
	require.Equal(t, whole, got)
	return numbers
}

// inject has the nth call of a kind fail, and checks all that must hold.
func (o *operation) inject(t *testing.T, whole ended, k faultKind, f fault, n int, tally *faultTally) {
	t.Helper()
	folder, seen, what := o.folder(t), 0, ""
	got := o.run(t, o.faulty(t, folder), func(c *inject.Call) inject.Outcome {
		if !slices.Contains(k.calls, c.Name) || !o.counts(c) {
			return inject.Outcome{}
		}
		if seen++; seen != n {
			return inject.Outcome{}
		}
		what = c.Name + " " + c.Path
		if f.kill {
			_ = unix.Kill(c.Process(), unix.SIGKILL) // it waits for us
		}
		return inject.Outcome{Err: f.err, Short: f.half}
	})
	if what == "" { // another order of events has fewer
		return
	}
	tally.Injected++
	context := fmt.Sprintf("%s: %s of call %d, %s\n%s", o.name, f.name, n, what, got.stderr)
	if f.kill && got.code == -int(unix.SIGKILL) {
		tally.Killed++
	} else {
		o.judge(t, whole, got, folder, context, tally)
	}
	o.recover(t, whole, folder, got, context)
}

// judge checks how a command ended in which something failed.
func (o *operation) judge(t *testing.T, whole, got ended, folder, context string, tally *faultTally) {
	t.Helper()
	switch got.code {
	case cli.ExitDone:
		if got.stdout == whole.stdout {
			tally.Survived++
		} else {
			assert.True(t, o.reported(folder, got), "another result without a report\n%s", context)
			tally.Reported++
		}
	case cli.ExitInput:
		assert.NotEmpty(t, got.stderr, "a failure without a line\n%s", context)
		tally.Refused++
	default:
		assert.Fail(t, fmt.Sprintf("exit code %d", got.code), context)
		return
	}
	for line := range strings.Lines(got.stderr) {
		assert.Regexp(t, `^spool: `, line, context)
		assert.NotRegexp(t, `^spool: (\S+: )?internal: `, line, context) // a helper may have ended with such a line
	}
}

// recover checks what is left in the folder, and that the command does all of its work there now.
func (o *operation) recover(t *testing.T, whole ended, folder string, got ended, context string) {
	t.Helper()
	if o.check != nil {
		o.check(t, folder, got, context)
	}
	if !o.keeps {
		return
	}
	again := tool.Run(o.arguments(folder)...)
	assert.Zero(t, again.Code, "%s\nagain: %s", context, again.Stderr)
	assert.Equal(t, whole.stdout, o.result(again.Stdout), context)
	if o.check != nil {
		o.check(t, folder, ended{stdout: again.Stdout}, context)
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	require.NoError(t, err)
	ended := slices.Contains([]int{cli.ExitDone, cli.ExitInput}, got.code) // not killed, nor stopped for lack of memory
	if ended && !strings.Contains(context, "unlinkat") {
		assert.Empty(t, left, "%s\ntemporary files", context)
	}
}
