package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
)

// ofStores returns a result of two latencies. SPDL failed at the higher one.
func ofStores() *bench.Result {
	load := func(ms int, spdl bench.Summary, own float64) bench.Comparison {
		return bench.Comparison{
			Pairs: make([]bench.Pair, 1),
			Work: bench.Work{Name: "objectstore-" + map[int]string{0: "0", 100: "100"}[ms], Kind: bench.Remote, Set: "photos",
				Latency: ms, Files: 100, Batch: 32,
				Size: 224, Workers: 2},
			Contestants: []bench.Summary{
				{Peer: "spool", Label: "spool run", Rate: own, CPU: 0.7},
				{Peer: bench.Still, Label: "spool run at 0 ms", Rate: 1000, CPU: 0.7},
				{Peer: "sequential", Label: "DataLoader, boto3", Rate: 20, CPU: 4},
				{Peer: "workers", Label: "DataLoader with more workers, boto3", Rate: 90, CPU: 5,
					Setting: map[int]string{0: "w4", 100: "w16"}[ms]},
				{Peer: "concurrent", Label: "ConcurrentDataloader, boto3", Rate: 200, CPU: 8, Setting: "32x256"}, spdl,
				{Peer: "spool_torch", Label: "spool.torch.ConcurrentDataLoader, boto3", Rate: 250, CPU: 7},
			},
			Duels: []bench.Duel{{Own: "spool", Other: bench.Still, Ratio: own / 1000},
				{Own: "spool", Other: "sequential", Ratio: 50}, {Own: "spool", Other: "spdl"}},
		}
	}
	return &bench.Result{
		Date: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Commit: "0123456789abcdef",
		Machine: bench.Machine{CPU: "Some CPU", Cores: 2},
		Works: []bench.Comparison{
			load(100, bench.Summary{Peer: "spdl", Label: "SPDL <threads>", Error: "python: exit status 1: OSError"}, 950),
			load(0, bench.Summary{Peer: "spdl", Label: "SPDL <threads>", Rate: 150, CPU: 7.5}, 1010),
			{Pairs: make([]bench.Pair, 1), Work: bench.Work{Name: "objectstore-get", Kind: bench.Requests},
				Contestants: []bench.Summary{
					{Peer: "spool", Label: "spool", CPU: 0.1}, {Peer: "boto3", Label: "boto3", Error: "broken"},
					{Peer: "s3fs", Label: "s3fs", CPU: 2.5},
				}},
		},
	}
}

func TestStores(t *testing.T) {
	dir := t.TempDir()
	result := ofStores()
	require.NoError(t, result.Write(filepath.Join(dir, result.Name()+".json")))
	want := `
**Photos from an object store**, whose answers vary by 20 %: 100 photos (photos) to 224x224, batches of 32, 2 workers, server and
clients on one machine, by ` + "`make bench-objectstore`" + `.
Commit 0123456789, 2026-11-22, on Some CPU, 2 cores, load 0.00 before the first run.

| images/s when an answer takes | 0 ms | 100 ms | at 100 ms ` + "`spool run`" + ` has | CPU ms an image |
|---|--:|--:|--:|--:|
| **spool run** | 1010 | 950 |  | 0.70 |
| DataLoader, boto3 | 20 | 20 | 50x | 4.00 |
| DataLoader with more workers, boto3 | 90 | 90 |  | 5.00 |
| ConcurrentDataloader, boto3 | 200 | 200 |  | 8.00 |
| SPDL <threads> | 150 |  |  |  |
| **spool.torch.ConcurrentDataLoader, boto3** | 250 | 250 |  | 7.00 |

![images a second by latency](objectstore.svg)

Rates are those of whole runs, start included; those of ` + "`spool run`" + ` are longer than the others'.
` + "`spool run`" + ` keeps these shares of its rate at 0 ms, measured right after: 0.95 at 100 ms.
A GET of a photo costs its client, in microseconds of CPU: spool 100, s3fs 2500.
DataLoader with more workers, boto3 is at the best of several numbers of workers: 4 at 0 ms, 16 at 100 ms.
ConcurrentDataloader, boto3 is at the best of several settings, fetch workers x batch pool: 32x256 at 0 ms, 32x256 at 100 ms.
SPDL <threads> failed: python: exit status 1: OSError at 100 ms.
Not measured at commit 0123456789: 20 ms; 50 ms; 200 ms.
`
	assert.Contains(t, generated(t, "docs/benchmarks.md", begin+end, dir), want)
	page := generated(t, "docs/loaders/concurrent.md", begin+end, dir)
	assert.Contains(t, page, "| **spool.torch.ConcurrentDataLoader, boto3** | 250 | 250 |")
	assert.Contains(t, page, "| DataLoader, boto3 |")
	assert.NotContains(t, page, "SPDL")
}

func TestPlot(t *testing.T) {
	assert.Empty(t, stores{}.plot())
	_, table := bench.Publish([]*bench.Result{ofStores()})
	s := storesOf(table)
	for _, want := range []string{"SPDL <threads>", "spool run", "100", "1000", "images a second"} {
		assert.Contains(t, texts(t, s.plot()), want)
	}
}

// texts returns the texts of an SVG.
func texts(t *testing.T, drawn string) (all []string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(drawn)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if text, ok := token.(xml.CharData); ok {
			all = append(all, strings.TrimSpace(string(text)))
		}
	}
}

// TestFigure: the plots are those of the newest results.
func TestFigure(t *testing.T) {
	m, err := read("../results")
	require.NoError(t, err)
	for name, want := range m.plots() {
		if want == "" {
			continue
		}
		drawn, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		assert.Equal(t, want, string(drawn), "%s: make bench-readme", name)
	}
}
