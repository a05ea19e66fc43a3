package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tables have the figures of the newest result of each GPU, and say what it was measured on.
func TestGPU(t *testing.T) {
	dir := t.TempDir()
	g, err := readGPUs(dir)
	require.NoError(t, err)
	var out strings.Builder
	g.write(&out)
	assert.Equal(t, "No result is recorded yet.\n", out.String())

	lines := `{"step":"bare-h2d","bytes":4194304,"gb_per_s":53.4,"floor_ratio":1,"engine":"Some GPU"}
{"step":"h2d","bytes":4194304,"gb_per_s":42.7,"floor_ratio":1.25,"engine":"spool, registered"}
{"step":"h2d-pageable","bytes":4194304,"floor_ratio":4,"engine":"spool, plain"}
{"step":"overlap","bytes":4194304,"hidden":0.967}
`
	kernels := `pkg: github.com/spoolmedia/spool/cbridge/cuda/kernels
BenchmarkNormalize/float16-16 200 165494 ns/op 2794190.09 MB/s 0.8335 of-memory
BenchmarkNormalize/float32-16 200 276115 ns/op 2791236.62 MB/s 0.9512 of-copy 0.8326 of-memory
`
	for _, name := range []string{"gpu-2026-11-25-aaaaaaaaaa", "gpu-2026-11-26-0123456789"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(lines), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(kernels), 0o600))
	}
	g, err = readGPUs(dir)
	require.NoError(t, err)
	out.Reset()
	g.write(&out)
	assert.Equal(t, `On Some GPU, at commit 0123456789, 2026-11-26:

| a batch of | the bare driver's copy | spool's, of that rate | from plain memory | copies hidden |
|---|--:|--:|--:|--:|
| 4 MiB | 53 GB/s | 0.80 | 0.25 | 0.97 |

| kernel | of the memory's bandwidth | of the driver's copy |
|---|--:|--:|
| normalize to float16 | 0.83 | – |
| normalize to float32 | 0.83 | 0.95 |
`, out.String())

	other := strings.ReplaceAll(lines, "Some GPU", "Another GPU")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gpu-2026-11-24-0123456789.jsonl"), []byte(other), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gpu-2026-11-24-0123456789.txt"), nil, 0o600))
	g, err = readGPUs(dir)
	require.NoError(t, err)
	require.Len(t, g, 2)
	assert.Equal(t, "Another GPU", g[1].model())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "gpu-2026-12-01-0.jsonl"), []byte("{"), 0o600))
	_, err = readGPUs(dir)
	assert.ErrorContains(t, err, "gpu-2026-12-01-0")
}
