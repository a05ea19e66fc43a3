package stats

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A period has the differences of the totals. Work that turned out to be a wait makes no negative occupancy.
func TestSince(t *testing.T) {
	at := func(elapsed time.Duration, items int64, work float64) Report {
		return Report{Elapsed: elapsed, Stages: []StageReport{{Name: "decode", Workers: 1, Items: items, WorkS: work,
			StaffS: elapsed.Seconds()}}}
	}
	first, second := at(time.Second, 10, 0.5), at(3*time.Second, 25, 1.5)
	d := second.Since(first)
	assert.Equal(t, 2*time.Second, d.Elapsed)
	assert.EqualValues(t, 15, d.Stages[0].Items)
	assert.InDelta(t, 0.5, d.Stages[0].Occupancy, 1e-9)
	assert.Zero(t, at(2*time.Second, 10, 0.4).Since(first).Stages[0].Occupancy)
	assert.Equal(t, second, second.Since(Report{}), "since the beginning")
}
