package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/pipe/stats"
)

// The history of a run of any length has some hundred moments, including the first and the last.
func TestHistoryStaysShort(t *testing.T) {
	n := 0
	h := &history{}
	for range 10 * historyMost {
		n++
		h.add(moment{report: stats.Report{Elapsed: time.Duration(n)}})
	}
	assert.Less(t, len(h.moments), historyMost)
	assert.GreaterOrEqual(t, len(h.moments), historyMost/2)
	assert.EqualValues(t, 1, h.moments[0].report.Elapsed)
	for i := 1; i < len(h.moments); i++ {
		assert.Less(t, h.moments[i-1].report.Elapsed, h.moments[i].report.Elapsed)
	}
}
