package bubble_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// With the race detector, synctest.Test ends the process here in many runs.
func TestTimersDueAtOneInstant(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	var fired atomic.Int64
	bubble.Test(t, func(*testing.T) {
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				for range 200 {
					first, second := time.NewTimer(time.Millisecond), time.NewTimer(time.Millisecond)
					<-first.C
					second.Reset(0)
					<-second.C
					fired.Add(1)
				}
			})
		}
		group.Wait()
	})
	assert.EqualValues(t, 200*200, fired.Load())
	assert.Equal(t, 4, runtime.GOMAXPROCS(0), "restored")
}
