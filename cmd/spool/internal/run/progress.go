package run

import (
	"fmt"
	"time"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/failures"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/internal/tally"
)

// progress prints the progress of a run after its first batch: often on a terminal, otherwise every few seconds.
type progress struct {
	failures *failures.Ledger
	summary  *summary
	total    int // samples expected; negative: unknown
	stores   inputs.Stores
	next     time.Time
}

// add counts a batch that has just arrived.
func (p *progress) add(b *batch.Batch) {
	p.summary.Add(b)
	if p.summary.Batches == 1 {
		p.failures.Flow()
	}
	terminal := p.failures.Console.Terminal()
	pause := 5 * time.Second
	if terminal {
		pause = 200 * time.Millisecond
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	if terminal || !p.next.IsZero() {
		p.failures.Console.Show(p.line())
	}
	p.next = now.Add(pause)
}

func (p *progress) line() string {
	failed := p.failures.Count()
	done := p.summary.Succeeded + failed
	rate := float64(done) / p.summary.Elapsed().Seconds()
	line := fmt.Sprintf("%d samples, %d failed, %.1f/s", done, failed, rate)
	if p.total >= 0 {
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		line = fmt.Sprintf("%d/%d samples, %d failed, %.1f/s, %v left", done, p.total, failed, rate,
			max(left, 0).Round(time.Second))
	}
	if remote := tally.RemoteOf(p.stores.Stats()); remote != nil {
		line += "; " + remote.Now()
	}
	return line
}

// end removes the status.
func (p *progress) end() { p.failures.Console.Clear() }
