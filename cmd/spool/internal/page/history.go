package page

import (
	"time"

	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/object"
)

// history is the state of a run over time.
type history struct {
	moments []moment
	stop    chan struct{}
	stopped chan struct{}
}

// moment is the state of a run: totals since its start, and current values.
type moment struct {
	report stats.Report
	stores object.Stats
	cpu    time.Duration
	rss    int64
}

const (
	historyPause = 50 * time.Millisecond
	historyMost  = 256 // moments
)

// watch records a moment from time to time, until end. A long run has as many as a short one, further apart.
func watch(report func() stats.Report, stores func() object.Stats) *history {
	h := &history{stop: make(chan struct{}), stopped: make(chan struct{})}
	now := func() moment {
		_, resident, _ := proc.Memory() // 0 if unknown
		return moment{report: report(), stores: stores(), cpu: proc.CPUTime(), rss: resident}
	}
	h.add(now())
	go func() {
		defer close(h.stopped)
		pause := historyPause
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for {
			select {
			case <-h.stop:
				h.add(now())
				return
			case <-ticker.C:
			}
			if h.add(now()) {
				pause *= 2
				ticker.Reset(pause)
			}
		}
	}()
	return h
}

// add appends a moment. When there are too many, it drops every other one except the first.
func (h *history) add(m moment) (dropped bool) {
	if n := len(h.moments); n > 0 {
		before := &h.moments[n-1].report
		for i := range before.Stages {
			before.Stages[i].Service = nil // large, and only needed at the end
		}
		before.Consumer.Service = nil
	}
	h.moments = append(h.moments, m)
	if len(h.moments) < historyMost {
		return false
	}
	for i := range historyMost / 2 {
		h.moments[i] = h.moments[2*i]
	}
	h.moments = h.moments[:historyMost/2]
	return true
}

// end records the last moment. Nothing changes after it.
func (h *history) end() {
	close(h.stop)
	<-h.stopped
}

// span is what a run did between two moments.
type span struct {
	stats.Report
	from, to float64 // seconds since its start
	cpu      time.Duration
	rss      int64        // at its end
	bytes    int64        // from stores
	stores   object.Stats // at its end
}

// spans returns those from each moment to the next. A late moment makes no short span, which would be meaningless.
func (h *history) spans() (all []span) {
	short := h.last().report.Elapsed / time.Duration(2*len(h.moments))
	ends := h.moments[:1:1]
	for _, m := range h.moments[1:] {
		if n := len(ends); n > 1 && m.report.Elapsed-ends[n-1].report.Elapsed < short {
			ends = ends[:n-1]
		}
		ends = append(ends, m)
	}
	for i, m := range ends[1:] {
		before := ends[i]
		if m.report.Elapsed > before.report.Elapsed {
			all = append(all, span{Report: m.report.Since(before.report), from: before.report.Elapsed.Seconds(),
				to: m.report.Elapsed.Seconds(), cpu: m.cpu - before.cpu, rss: m.rss, bytes: m.stores.Bytes - before.stores.Bytes,
				stores: m.stores})
		}
	}
	return all
}

// last returns the end of the run.
func (h *history) last() moment { return h.moments[len(h.moments)-1] }
