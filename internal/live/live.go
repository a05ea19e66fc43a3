// Package live has the content of the page about a loader as it goes on. It serves nothing: that is its callers' work.
package live

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Policy is the Content-Security-Policy of the page: browsers load and run nothing but the page itself.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self'; " +
	"connect-src 'self'"

// Live is the live page of a loader. Its functions are called concurrently with the run. It is safe for concurrent use.
type Live struct {
	Title    string
	Report   func() stats.Report
	Memory   func() map[spool.Purpose]spool.Usage
	Failures func() []pipe.Failure // of Recent
	Remote   func() *tally.Remote
	Traces   bool // the server of the page has traces at trace?seconds=N
	// Thumbnail returns a small picture of a failed sample, as JPEG; nil if nothing can be decoded.
	Thumbnail func(ctx context.Context, id string) []byte
	// Sheet returns a contact sheet of the next batch as PNG; nil if there is none. If it is nil, the page has no sheets.
	Sheet func(ctx context.Context) []byte

	mu     sync.Mutex
	before stats.Report // of the state that is shown
	cpu    time.Duration
	when   time.Time
	state  []byte
}

//go:embed live.html
var page string

// escape makes a text of HTML. Packages html and html/template would add their tables, and what templates may call, to
// the C library.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// fresh is how long a state is shown to all viewers. Rates are those since the state before.
const fresh = 900 * time.Millisecond

// Content returns the content of a path of the page. The path "" has HTML. "state" has JSON, which the page expects
// once a second as the data of an event from "events". "thumbnail/ID" has a JPEG of a failed sample, and "sheet" a PNG
// of the next batch, for which it waits. The result is nil for any other path.
func (l *Live) Content(ctx context.Context, path string) []byte {
	switch path {
	case "":
		return []byte(strings.ReplaceAll(page, "{{title}}", escape.Replace(l.Title)))
	case "state":
		return l.now()
	case "sheet":
		if l.Sheet == nil {
			return nil
		}
		return l.Sheet(ctx)
	}
	id, ok := strings.CutPrefix(path, "thumbnail/")
	if ok && slices.ContainsFunc(l.Failures(), func(f pipe.Failure) bool { return f.ID == id }) {
		return l.Thumbnail(ctx, id)
	}
	return nil
}

func (l *Live) now() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != nil && time.Since(l.when) < fresh {
		return l.state
	}
	report := l.Report()
	used := proc.CPUTime()
	_, resident, _ := proc.Memory() // 0 if unknown
	text, err := json.Marshal(l.event(report, l.before, used-l.cpu, resident))
	if err != nil {
		return nil // a value is no number
	}
	l.before, l.cpu, l.when, l.state = report, used, time.Now(), text
	return text
}

// event is the state of a run, as the page's script reads it.
type event struct {
	Elapsed  float64          `json:"elapsed"`
	Samples  int64            `json:"samples"`
	Batches  int64            `json:"batches"`
	Failed   int64            `json:"failed"`
	Rate     float64          `json:"rate"`  // samples a second, since the event before
	Wait     float64          `json:"wait"`  // share of the consumer's time, since the event before
	Cores    float64          `json:"cores"` // in use, since the event before
	Resident int64            `json:"resident"`
	Memory   map[string]int64 `json:"memory"`
	Verdict  string           `json:"verdict"`
	Stages   []stage          `json:"stages"`
	Stuck    []tally.Stuck    `json:"stuck"`
	Failures []failure        `json:"failures"`
	Remote   string           `json:"remote"`
	Traces   bool             `json:"traces"`
	Sheets   bool             `json:"sheets"`
}

// stage is a stage: its report, with the occupancy since the event before.
type stage struct {
	stats.StageReport
	Active int     `json:"active"`
	Rate   float64 `json:"rate"`
	Fill   float64 `json:"fill"` // of the queue after the stage, now
}

type failure struct {
	ID    string        `json:"id"`
	File  jsonname.Name `json:"file"`
	Stage string        `json:"stage"`
	Class string        `json:"class"`
	Text  string        `json:"text"`
}

// event returns the state in a report, and what happened since the previous state.
func (l *Live) event(now, before stats.Report, cpu time.Duration, resident int64) event {
	e := event{Elapsed: now.Elapsed.Seconds(), Batches: now.Consumer.Items, Failed: now.Failures, Resident: resident,
		Traces: l.Traces, Sheets: l.Sheet != nil,
		Memory: map[string]int64{}, Verdict: now.Verdict(), Stuck: []tally.Stuck{}, Failures: []failure{}}
	since := now
	if before.Elapsed > 0 && before.Elapsed < now.Elapsed { // else a new run
		since = now.Since(before)
	}
	seconds := max(since.Elapsed.Seconds(), 1e-9)
	for i, s := range now.Stages {
		s.Occupancy = since.Stages[i].Occupancy
		e.Stages = append(e.Stages, stage{StageReport: s, Active: s.AtWork, Fill: s.Filled,
			Rate: float64(since.Stages[i].Items) / seconds})
		e.Samples, e.Rate = s.Items, float64(since.Stages[i].Items)/seconds // the last stage makes batches
	}
	e.Wait, e.Cores = since.Consumer.WaitInS/seconds, cpu.Seconds()/seconds
	for purpose, u := range l.Memory() {
		e.Memory[purpose.String()] = u.Bytes
	}
	for _, s := range now.Stuck {
		e.Stuck = append(e.Stuck, tally.StuckOf(s))
	}
	for _, f := range l.Failures() {
		e.Failures = append(e.Failures, failure{f.ID, jsonname.Name(spool.Redacted(f.File)), f.Stage, f.Class, f.Text})
	}
	if remote := l.Remote(); remote != nil {
		e.Remote = remote.Now()
	}
	return e
}
