package simulate_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/pipe/costs"
)

// run is the costs of a source with a stage fetch, without times.
const run = `{"version":2,"samples":2,"batches":2,"batch":1,"cores":1,"seconds":1,"stages":[
	{"name":"list","workers":1,"out":2,"single":true,"next":[1],"service":{"sum_ns":2,"buckets":[[1,2]]}},
	{"name":"fetch","workers":1,"next":[],"service":{"sum_ns":2,"buckets":[[1,2]]}}]}`

func TestSettings(t *testing.T) {
	set := settings.Set{}
	s := simulate.Settings(&set)
	set.JSON([]byte(`{"workers":3,"latency":"50ms","stage_workers":"a/0=2,b=1"}`))
	require.NoError(t, set.Err())
	assert.Equal(t, costs.Settings{Workers: 3, Latency: 50 * time.Millisecond,
		Stages: map[string]int{"a/0": 2, "b": 1}}, *s)
	for _, text := range []string{`{"latency":"-1s"}`, `{"stage_workers":"a"}`, `{"stage_workers":"a=0"}`,
		`{"stage_workers":"=1"}`} {
		set := settings.Set{}
		simulate.Settings(&set)
		set.JSON([]byte(text))
		require.ErrorIs(t, set.Err(), spool.ErrOptions, text)
	}
}

// A setting of a stage that the run has not is refused, and so is a file without costs.
func TestPredictRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "costs.json")
	_, err := simulate.Predict(name, costs.Settings{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(name, []byte("{}"), 0o600))
	_, err = simulate.Predict(name, costs.Settings{})
	require.ErrorIs(t, err, spool.ErrCorrupt)
	require.NoError(t, os.WriteFile(name, []byte(run), 0o600))
	for _, s := range []costs.Settings{{Workers: 2}, {Stages: map[string]int{"list": 2}},
		{Stages: map[string]int{"x": 2}}} {
		_, err = simulate.Predict(name, s)
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.ErrorContains(t, err, "these can: fetch")
	}
	p, err := simulate.Predict(name, costs.Settings{Stages: map[string]int{"fetch": 2}, Latency: time.Second})
	require.NoError(t, err)
	assert.InDelta(t, 2, p.Rate.Value*(1+p.Deviation), 0.01, "two at a time, of a second each")
	require.NoError(t, simulate.Create(""))
	require.Error(t, simulate.Create(filepath.Join(name, "below")))
}
