package cores_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/cores"
)

// Several users add their processors, and give back their own. The number of cores stays.
func TestSpareProcessorsAreGivenBack(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	assert.Equal(t, before, cores.Count())
	first := cores.Spare(3)
	assert.Equal(t, before+3, runtime.GOMAXPROCS(0))
	second := cores.Spare(0)
	assert.Equal(t, 2*before+3, runtime.GOMAXPROCS(0))
	assert.Equal(t, before, cores.Count())
	first()
	assert.Equal(t, 2*before, runtime.GOMAXPROCS(0))
	second()
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
	assert.Equal(t, before, cores.Count())
}

func TestProcessorsFromTheEnvironmentHold(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	before := runtime.GOMAXPROCS(0)
	defer cores.Spare(3)()
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
	assert.Equal(t, before, cores.Count())
}
