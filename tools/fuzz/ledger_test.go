package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLeastFirst(t *testing.T) {
	l := ledger{"p.A": {CPUSeconds: 20}, "p.B": {CPUSeconds: 10, Seconds: 5}, "p.C": {CPUSeconds: 10, AsanSeconds: 4},
		"p.D": {Seconds: 1}}
	targets := []target{{"p", "A"}, {"p", "B"}, {"p", "C"}, {"p", "D"}, {"p", "New"}}
	l.leastFirst(targets)
	want := []target{{"p", "New"}, {"p", "D"}, {"p", "C"}, {"p", "B"}, {"p", "A"}}
	if !slices.Equal(targets, want) {
		t.Errorf("%v, want %v", targets, want)
	}
}

func TestFindings(t *testing.T) {
	var entry tally
	entry.add(result{executions: 3, seconds: 2, cpu: 4, disagreements: map[string]int64{"rounds": 2}}, true)
	entry.add(result{disagreements: map[string]int64{"rounds": 1}}, true)
	entry.judge(errors.New("crash"), nil)
	if entry.Findings != 1 || !entry.Open || entry.CPUSeconds != 4 || entry.clock() != 2 {
		t.Errorf("%+v", entry)
	}
	entry.judge(nil, func() bool { return false }) // found nothing, but the kept input still fails
	if !entry.Open {
		t.Error("a finding is closed by a run without another one")
	}
	file := filepath.Join(t.TempDir(), "ledger.json")
	if err := writeLedger(file, ledger{"p.A": entry}); err != nil {
		t.Fatal(err)
	}
	l, err := readLedger(file)
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	l.print(&printed)
	const want = "   CPU h  clock h         inputs  findings  target\n" +
		"   0.001    0.001              3         1 open  p.A\n" +
		"   0.001    0.001              3         1 open  all 1 targets\n" +
		"\ninputs of which an oracle has another result, for a known reason\n" +
		"             3  p.A: rounds\n"
	if printed.String() != want {
		t.Errorf("%s\nwant\n%s", printed.String(), want)
	}
	entry.judge(nil, func() bool { return true })
	if entry.Findings != 1 || entry.Open {
		t.Errorf("%+v", entry)
	}
}

func TestExplained(t *testing.T) {
	a, err := newAcceptance()
	if err != nil {
		t.Fatal(err)
	}
	defer a.remove()
	data := make([]byte, 4096)
	binary.NativeEndian.PutUint64(data, 7)
	copy(data[64:], "rounds")
	binary.NativeEndian.PutUint64(data[120:], 5)
	if err := os.WriteFile(string(a), data, 0o600); err != nil {
		t.Fatal(err)
	}
	r := result{executions: 9}
	if err := a.of(&r); err != nil || r.accepted != 7 || r.disagreements["rounds"] != 5 || len(r.disagreements) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if text := r.explained(); text != ", 5 explained differences" {
		t.Error(text)
	}
}
