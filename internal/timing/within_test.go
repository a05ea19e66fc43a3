package timing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/timing"
)

// recorder is a testing.TB that only records messages.
type recorder struct {
	testing.TB
	logged, failed []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Logf(f string, a ...any)   { r.logged = append(r.logged, fmt.Sprintf(f, a...)) }
func (r *recorder) Errorf(f string, a ...any) { r.failed = append(r.failed, fmt.Sprintf(f, a...)) }

func TestWithin(t *testing.T) {
	const message = "closing took 2s, the limit is 1s"
	var r recorder
	t.Setenv(timing.Variable, "")
	timing.Within(&r, 2*time.Second, time.Second, "closing")
	assert.Equal(t, []string{message}, r.logged)
	assert.Empty(t, r.failed)

	t.Setenv(timing.Variable, "1")
	timing.Within(&r, time.Second-1, time.Second, "closing")
	assert.Len(t, r.logged, 2)
	assert.Empty(t, r.failed)
	timing.Within(&r, 2*time.Second, time.Second, "closing")
	assert.Equal(t, []string{message}, r.failed)
}
