package decode_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode"
)

// What a fuzzer has found to be worth a look: valid and damaged files of all kinds, many of them with data that make no
// sense and are decoded all the same.
func TestEnginesAgreeOnCorpus(t *testing.T) {
	e := newEngines(t, fuzzLimits)
	names, err := filepath.Glob("../cbridge/jpeg/baseline/fuzz/corpus/*")
	require.NoError(t, err)
	assert.Greater(t, len(names), 100)
	count := map[string]int{}
	for n, name := range names {
		data := readFile(t, name)
		specs := engineSpecs
		if testing.Short() {
			specs = []decode.ImageSpec{specs[n%len(specs)]}
		}
		for i, spec := range specs {
			difference, road := e.differ(data, spec)
			require.Empty(t, difference, "%s, spec %d", name, i)
			count[road.Engine+" "+road.Reason]++
		}
	}
	t.Log(count)
	assert.Greater(t, count["own "], 200)
	for _, reason := range []string{"run", "range", "code", "overrun", "restart", "trailing"} {
		assert.Positive(t, count["turbo "+reason], reason)
	}
}
