package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
)

// happening is what happens to a rank: up to two events.
type happening struct {
	names  []string
	decide func(*inject.Call) inject.Outcome
	dies   bool
}

// decision decides about a call of a rank.
type decision func(*inject.Call) inject.Outcome

func (x *chaos) happening(rank int) (h happening) {
	var all []decision
	for range 1 + x.IntN(2) {
		name, decide := x.event(rank)
		if slices.Contains(h.names, name) {
			continue
		}
		h.names = append(h.names, name)
		h.dies = h.dies || name == "killed"
		if decide != nil {
			all = append(all, decide)
		}
	}
	if len(all) > 0 {
		h.decide = func(c *inject.Call) (o inject.Outcome) {
			for _, decide := range all {
				if one := decide(c); one != (inject.Outcome{}) {
					o = one
				}
			}
			return o
		}
	}
	return h
}

// event draws what happens to a rank. Some events need a kind of source.
func (x *chaos) event(rank int) (name string, decide decision) {
	left := int64(1 + x.IntN(60))
	if x.IntN(5) == 0 {
		left *= 10
	}
	wait := time.Duration(x.IntN(1000)) * time.Millisecond
	countdown := func() bool { left--; return left == 0 }
	events := []string{"killed", "killed", "killed", "stopped", "full disk", "bad read", "slow files", "short read",
		"nothing"}
	if x.store != nil {
		events = append(events, "outage", "answers cut short", "slow answers")
	}
	if x.source == "local" {
		events = append(events, "file cut short", "file replaced")
	}
	if slices.Contains(x.args, "--isolate") {
		events = append(events, "helper killed")
	}
	once := func(do func(c *inject.Call)) decision {
		return func(c *inject.Call) (o inject.Outcome) {
			if countdown() {
				do(c)
			}
			return o
		}
	}
	switch name = events[x.IntN(len(events))]; name {
	case "killed":
		return name, once(func(c *inject.Call) { _ = unix.Kill(commandOf(c), unix.SIGKILL) })
	case "helper killed":
		return name, once(func(c *inject.Call) {
			command := commandOf(c)
			children, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(command), "task", strconv.Itoa(command), "children"))
			for _, helper := range append(strings.Fields(string(children)), strconv.Itoa(c.Process())) {
				if id, err := strconv.Atoi(helper); err == nil && id != command {
					_ = unix.Kill(id, unix.SIGKILL)
				}
			}
		})
	case "stopped":
		return name, once(func(c *inject.Call) {
			process := c.Process()
			_ = unix.Kill(process, unix.SIGSTOP)
			time.AfterFunc(wait, func() { _ = unix.Kill(process, unix.SIGCONT) })
		})
	case "full disk":
		return name, x.fullDisk(rank, countdown)
	case "bad read", "short read":
		return name, func(c *inject.Call) (o inject.Outcome) {
			switch {
			case !x.sample(c) || !strings.HasPrefix(c.Name, "read") && c.Name != "pread64" || !countdown():
			case name == "bad read":
				o.Err = unix.EIO
			default:
				o.Short = 1
			}
			return o
		}
	case "slow files":
		return name, func(c *inject.Call) (o inject.Outcome) {
			if x.sample(c) {
				<-time.After(wait / 50)
			}
			return o
		}
	case "file cut short", "file replaced":
		path := x.paths[x.IntN(len(x.paths))]
		return name, once(func(*inject.Call) {
			if name == "file replaced" {
				if data, err := os.ReadFile(path); err == nil && os.WriteFile(path+".new", data, 0o600) == nil {
					_ = os.Rename(path+".new", path)
				}
			} else if info, err := os.Stat(path); err == nil {
				_ = os.Truncate(path, info.Size()/2)
			}
		})
	case "outage", "answers cut short", "slow answers":
		x.store.kind.Store(int64(slices.Index([]string{"outage", "answers cut short", "slow answers"}, name)))
		x.store.outage.Store(left)
	}
	return name, nil
}

// damage are the classes of damaged files.
var damage = map[spool.Class]bool{spool.ErrEmpty: true, spool.ErrNotMedia: true, spool.ErrTruncated: true,
	spool.ErrCorrupt: true}

// explains reports whether a failure of a rank has a cause: what happened to the rank now, or to the files or the store
// of all ranks at any time.
func (x *chaos) explains(e happening, class spool.Class) bool {
	switch {
	case class == spool.ErrCrashed:
		return slices.Contains(e.names, "helper killed")
	case class == spool.ErrIO:
		return slices.Contains(e.names, "bad read") || slices.Contains(e.names, "full disk") || x.events["outage"] > 0 ||
			x.events["answers cut short"] > 0
	case damage[class]:
		return x.events["file cut short"] > 0
	}
	return false
}

var classWord = regexp.MustCompile(`^spool: (?:.*?: )??(not-found|not-a-file|permission|empty|not-media|unsupported|` +
	`truncated|corrupt|too-large|no-such-frame|crashed|io|timeout|canceled|device|internal): `)

// classes returns the classes of the lines of stderr, except that of a run without any good sample: its ledger has each
// class. A line without a class has the empty one.
func classes(stderr string) (all []spool.Class) {
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, "nothing could be loaded") {
			continue
		}
		class := spool.Class("")
		if found := classWord.FindStringSubmatch(line); found != nil {
			class = spool.Class(found[1])
		}
		all = append(all, class)
	}
	return all
}

// fullDisk has writes fail from some time on: those of the state, of the ledger, or of the cache.
func (x *chaos) fullDisk(rank int, countdown func() bool) decision {
	full := false
	kind := x.IntN(3)
	concerns := func(c *inject.Call) bool {
		switch {
		case kind == 0:
			return c.Path == x.ledger(rank)
		case kind == 1:
			return strings.HasPrefix(c.Path, x.cache())
		}
		return strings.HasPrefix(filepath.Base(c.Path), "."+filepath.Base(x.state(rank)))
	}
	return func(c *inject.Call) (o inject.Outcome) {
		if c.Name != "openat" && strings.HasSuffix(strings.TrimSuffix(c.Name, "64"), "write") && concerns(c) {
			if full = full || countdown(); full {
				o.Err = unix.ENOSPC
			}
		}
		return o
	}
}

// sample reports whether a call concerns a file of the data set.
func (x *chaos) sample(c *inject.Call) bool {
	return strings.HasPrefix(c.Path, filepath.Join(x.folder, "data")+"/")
}

// commandOf returns the process that this one started, where c may be a call of its helper.
func commandOf(c *inject.Call) int {
	process := c.Process()
	for {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(process), "status"))
		if err != nil {
			return process
		}
		_, after, _ := strings.Cut(string(text), "PPid:")
		word, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
		parent, err := strconv.Atoi(word)
		if err != nil || parent == os.Getpid() || parent <= 1 {
			return process
		}
		process = parent
	}
}

var (
	chaosRecord = flag.String("chaos-record", "", "the `file` that gets what was done, and the outcome")
	chaosCommit = flag.String("chaos-commit", "", "the `commit` that the record names")
)

// chaosRun is a run in the record.
type chaosRun struct {
	Date      string         `json:"date"`
	Commit    string         `json:"commit"`
	Machine   bench.Machine  `json:"machine"` // with the load at the end
	Seed      uint64         `json:"seed"`
	Seconds   int            `json:"seconds"`
	Trainings int            `json:"trainings"`
	Sources   map[string]int `json:"sources"`
	Processes int            `json:"processes"`
	Events    map[string]int `json:"events"`
	Delivered int            `json:"delivered"` // samples, over all epochs
	Failed    int            `json:"failed"`    // samples that a ledger names and that were not delivered
	Outcome   string         `json:"outcome"`   // passed, failed, or unfinished
}

// add counts a training.
func (r *chaosRun) add(x *chaos) {
	r.Trainings++
	r.Sources[x.source]++
	r.Processes += x.started
	for name, n := range x.events {
		r.Events[name] += n
	}
	for _, counts := range x.counts {
		delivered := 0
		for _, n := range counts {
			delivered += n
		}
		r.Delivered += delivered
		r.Failed += len(x.pixels) - delivered
	}
}

// write sets the run in the record, in place of what it wrote before.
func (r *chaosRun) write(t *testing.T, outcome string, begin time.Time) {
	t.Helper()
	r.Date, r.Commit = begin.UTC().Format(time.RFC3339), *chaosCommit
	r.Machine, r.Seconds, r.Outcome = bench.ThisMachine(), int(time.Since(begin).Seconds()), outcome
	if *chaosRecord == "" {
		return
	}
	var all []*chaosRun
	if text, err := os.ReadFile(*chaosRecord); err == nil {
		require.NoError(t, json.Unmarshal(text, &all))
	}
	if n := len(all); n > 0 && all[n-1].Seed == r.Seed {
		all = all[:n-1]
	}
	text, err := json.MarshalIndent(append(all, r), "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*chaosRecord, append(text, '\n'), 0o644))
}
