package meter

import (
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// Tally is the sum of the meters of a stage's workers.
type Tally struct {
	Items   [endings]int64
	Service stats.Histogram

	retries int64
	spent   [phases]time.Duration
	atWork  int
}

// Add adds the current values of a meter.
func (t *Tally) Add(m *Meter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for e, n := range m.items {
		t.Items[e] += n
	}
	t.retries += m.retries
	if m.phase == Working {
		t.atWork++
	}
	for p, d := range m.spent {
		t.spent[p] += d
	}
	t.spent[m.phase] += time.Since(m.epoch) - m.since
	if m.service != nil {
		t.Service.Merge(m.service)
	}
}

// Report sets the figures of a stage's report. Its StaffS is set already.
func (t *Tally) Report(r *stats.StageReport) {
	r.AtWork = t.atWork
	r.Items, r.Failures, r.Dropped, r.Retries = t.Items[Passed], t.Items[Failed], t.Items[Filtered], t.retries
	r.WaitInS, r.WaitOutS = t.spent[WaitingIn].Seconds(), t.spent[WaitingOut].Seconds()
	r.WorkS = t.spent[Working].Seconds()
	r.Describe(&t.Service)
}
