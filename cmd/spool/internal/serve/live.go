package serve

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Live is the live page of a run. Its functions are called for each viewer, concurrently with the run.
type Live struct {
	Title    string
	Report   func() stats.Report
	Memory   func() map[spool.Purpose]spool.Usage
	Process  func() (cpu time.Duration, resident int64)
	Failures func() []pipe.Failure // some of them, to be shown
	Remote   func() *tally.Remote
	// Thumbnail returns a small picture of a failed sample, as JPEG; nil if nothing can be decoded.
	Thumbnail func(ctx context.Context, id string) []byte
}

//go:embed live.html
var liveText string

var liveTemplate = template.Must(template.New("live").Parse(liveText))

// pause is the time between two states of a viewer's page.
const pause = time.Second

// Handler returns the page, and the events that change it.
func (l *Live) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = liveTemplate.Execute(w, l.Title) // the viewer may be gone
	})
	mux.HandleFunc("GET /events", l.events)
	mux.HandleFunc("GET /thumbnail/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		var picture []byte
		if slices.ContainsFunc(l.Failures(), func(f pipe.Failure) bool { return f.ID == id }) {
			picture = l.Thumbnail(r.Context(), id)
		}
		if picture == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(picture)
	})
	return guarded(mux)
}

// guarded refuses requests that a page of another site makes by a name of its own for this machine (DNS rebinding), and
// has browsers load and run nothing but the page itself.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if ok && at.IP.IsLoopback() && !local(r.Host) {
			http.Error(w, "this page is for this machine", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self'; connect-src 'self'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
}

// stage is a stage: its report, with the occupancy since the event before.
type stage struct {
	stats.StageReport
	Active int     `json:"active"`
	Rate   float64 `json:"rate"`
}

type failure struct {
	ID    string        `json:"id"`
	File  jsonname.Name `json:"file"`
	Stage string        `json:"stage"`
	Class string        `json:"class"`
	Text  string        `json:"text"`
}

// events sends the state of the run from time to time, until the viewer or the run is gone.
func (l *Live) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	before, cpu := stats.Report{}, time.Duration(0)
	for {
		report := l.Report()
		used, resident := l.Process()
		e := l.event(report, before, used-cpu, resident)
		text, err := json.Marshal(e)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || send.Flush() != nil {
			return
		}
		before, cpu = report, used
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
	}
}

// event returns the state in a report, and what happened since the one before.
func (l *Live) event(now, before stats.Report, cpu time.Duration, resident int64) event {
	e := event{Elapsed: now.Elapsed.Seconds(), Batches: now.Consumer.Items, Failed: now.Failures, Resident: resident,
		Memory: map[string]int64{}, Verdict: now.Verdict(), Stuck: []tally.Stuck{}, Failures: []failure{}}
	since := now
	if before.Elapsed > 0 {
		since = now.Since(before)
	}
	seconds := max(since.Elapsed.Seconds(), 1e-9)
	for i, s := range now.Stages {
		s.Occupancy = since.Stages[i].Occupancy
		e.Stages = append(e.Stages, stage{StageReport: s, Active: s.AtWork, Rate: float64(since.Stages[i].Items) / seconds})
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
