package image_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
)

// The files that a fuzzer kept: valid and damaged ones of all kinds, many with meaningless data that are decoded
// nevertheless.
func TestEnginesAgreeOnCorpus(t *testing.T) {
	e := newEngines(t, fuzzLimits)
	names, err := filepath.Glob("../../cbridge/jpeg/baseline/fuzz/corpus/*")
	require.NoError(t, err)
	assert.Greater(t, len(names), 100)
	count := map[string]int{}
	for n, name := range short.Some(names, 2) {
		data := decodetest.ReadFile(t, name)
		specs := engineSpecs
		if testing.Short() {
			specs = []image.Spec{specs[n%len(specs)]}
		}
		for i, spec := range specs {
			difference, trace := e.differ(data, spec)
			require.Empty(t, difference, "%s, spec %d", name, i)
			count[trace.Engine+" "+trace.Reason]++
		}
	}
	t.Log(count)
	assert.Greater(t, count["own "], short.Of(200, 80))
	for _, reason := range []string{"run", "range", "code", "overrun", "restart", "trailing"} {
		assert.Positive(t, count["turbo "+reason], reason)
	}
}
