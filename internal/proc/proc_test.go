package proc

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpareProcessorsAreGivenBack(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	restore := SpareProcessors(3)
	assert.Equal(t, before+3, runtime.GOMAXPROCS(0))
	restore()
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
}

func TestProcessorsFromTheEnvironmentHold(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	before := runtime.GOMAXPROCS(0)
	defer SpareProcessors(3)()
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
}
