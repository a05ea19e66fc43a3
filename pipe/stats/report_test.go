package stats_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe/stats"
)

func TestStageReportKeys(t *testing.T) {
	line, err := json.Marshal(stats.StageReport{Name: "decode", Workers: 2})
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"decode","workers":2,"items":0,"failures":0,"mean_ms":0,"p50_ms":0,"p90_ms":0,"p99_ms":0,
		"wait_in_s":0,"wait_out_s":0,"occupancy":0,"queue":0}`, string(line))
}
