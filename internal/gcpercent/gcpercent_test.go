package gcpercent

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestPercent(t *testing.T) {
	for cores, percent := range map[int]int{1: 150, 2: 150, 4: 150, 8: 200, 16: 400, 128: 400} {
		assert.Equal(t, percent, of(cores), cores)
	}
}

func TestIsSet(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		need.Skip(t, need.System, "GOGC is set")
	}
	before := debug.SetGCPercent(50)
	Set(12)
	assert.Equal(t, 300, debug.SetGCPercent(before))
}
