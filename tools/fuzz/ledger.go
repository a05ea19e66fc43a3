package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
)

// ledger has the counts of each target, by PACKAGE.NAME.
type ledger map[string]tally

// tally is the counts of one target, without and with the address sanitizer.
type tally struct {
	Executions     int64   `json:"executions"`
	Accepted       int64   `json:"accepted"` // executions that internal/fuzzed counted, since it exists
	Seconds        float64 `json:"seconds"`
	AsanExecutions int64   `json:"asan_executions"`
	AsanAccepted   int64   `json:"asan_accepted"`
	AsanSeconds    float64 `json:"asan_seconds"`

	// CPUSeconds is the time of processors, with and without the address sanitizer, since it is counted. The seconds above
	// are of the clock, on all processors of a machine.
	CPUSeconds float64 `json:"cpu_seconds,omitempty"`
	Findings   int     `json:"findings,omitempty"` // runs that ended with one, since they are counted
	Open       bool    `json:"open,omitempty"`     // the last finding's input still fails

	// Disagreements is the number of inputs of which the target's oracle has another result, by the reason that is known.
	// An unexplained one is a finding.
	Disagreements map[string]int64 `json:"disagreements,omitempty"`

	// ByCommit is the number of executions of a libFuzzer target that each version of the C sources has survived.
	ByCommit map[string]int64 `json:"asan_executions_by_commit,omitempty"`
}

// of returns the number of executions with or without the address sanitizer.
func (t tally) of(asan bool) int64 {
	if asan {
		return t.AsanExecutions
	}
	return t.Executions
}

// add counts a run.
func (t *tally) add(r result, asan bool) {
	t.CPUSeconds += r.cpu
	for reason, n := range r.disagreements {
		if t.Disagreements == nil {
			t.Disagreements = map[string]int64{}
		}
		t.Disagreements[reason] += n
	}
	if asan {
		t.AsanExecutions += r.executions
		t.AsanAccepted += r.accepted
		t.AsanSeconds += r.seconds
	} else {
		t.Executions += r.executions
		t.Accepted += r.accepted
		t.Seconds += r.seconds
	}
}

// judge records whether a run ended with a finding. passes runs the inputs that are kept.
func (t *tally) judge(err error, passes func() bool) {
	switch {
	case err != nil:
		t.Findings++
		t.Open = true
	case t.Open:
		t.Open = !passes()
	}
}

// cpuOfChildren is the seconds of processors that the processes have taken that this one has started, and that have
// ended.
func cpuOfChildren() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// leastFirst orders targets by the time that they have had. So a campaign that was ended goes on where it stopped, and
// new targets come first.
func (l ledger) leastFirst(targets []target) {
	slices.SortStableFunc(targets, func(a, b target) int {
		x, y := l[a.pkg+"."+a.name], l[b.pkg+"."+b.name]
		return cmp.Or(cmp.Compare(x.CPUSeconds, y.CPUSeconds), cmp.Compare(x.clock(), y.clock()))
	})
}

// clock is the seconds of all runs.
func (t tally) clock() float64 { return t.Seconds + t.AsanSeconds }

// print prints a row for each target, and then the explained differences from oracles.
func (l ledger) print(to io.Writer) {
	var all tally
	row := func(name string, t tally) {
		state := ""
		if t.Open {
			state = " open"
		}
		fmt.Fprintf(to, "%8.3f %8.3f %14d %9d%s  %s\n", t.CPUSeconds/3600, t.clock()/3600, t.Executions+t.AsanExecutions,
			t.Findings, state, name)
	}
	fmt.Fprintf(to, "%8s %8s %14s %9s  %s\n", "CPU h", "clock h", "inputs", "findings", "target")
	for _, name := range slices.Sorted(maps.Keys(l)) {
		t := l[name]
		row(name, t)
		all.CPUSeconds += t.CPUSeconds
		all.Seconds += t.clock()
		all.Executions += t.Executions + t.AsanExecutions
		all.Findings += t.Findings
		all.Open = all.Open || t.Open
	}
	row(fmt.Sprintf("all %d targets", len(l)), all)
	header := "\ninputs of which an oracle has another result, for a known reason\n"
	for _, name := range slices.Sorted(maps.Keys(l)) {
		for _, reason := range slices.Sorted(maps.Keys(l[name].Disagreements)) {
			fmt.Fprintf(to, "%s%14d  %s: %s\n", header, l[name].Disagreements[reason], name, reason)
			header = ""
		}
	}
}

func readLedger(path string) (ledger, error) {
	l := ledger{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	return l, json.Unmarshal(data, &l)
}

func writeLedger(path string, l ledger) error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
