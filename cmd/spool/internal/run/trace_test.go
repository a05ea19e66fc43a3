package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A trace has a slice for each sample at each stage, as the table of the run counts them.
func TestTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	o := tool.Run("run", "images", clitest.Media+"/photos", "--size", "32", "--epochs", "2", "--trace", file, "--json")
	require.Zero(t, o.Code, o.Stderr)
	var summary struct {
		Stages []struct {
			Name  string
			Items int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &summary))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all struct {
		TraceEvents []struct {
			Ph, Name string
			BindID   string `json:"bind_id"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	slices, flows, inC := map[string]int{}, map[string]int{}, 0
	for _, e := range all.TraceEvents {
		if e.Ph == "X" && strings.HasSuffix(e.Name, "jpeg: decode") {
			inC++
		}
		if e.Ph == "X" && e.BindID != "" {
			slices[e.Name]++
			flows[e.BindID]++
		}
	}
	require.NotEmpty(t, summary.Stages)
	for _, s := range summary.Stages {
		assert.Equal(t, s.Items, slices[s.Name], s.Name)
	}
	assert.Equal(t, slices["decode"], inC, "a call of C for each photo")
	assert.Len(t, flows, slices["list"], "one for each sample and epoch")
	for _, n := range flows {
		assert.Len(t, summary.Stages, n, "through all stages")
	}
}

func TestTraceRefused(t *testing.T) {
	file := t.TempDir() + "/none/trace.json"
	tool.Refused(t, 1, []string{"spool: " + file + ": not-found: no such file or directory"}, "run", "images",
		clitest.Media+"/photos", "--trace", file)
	tool.Refused(t, 2, []string{"spool: usage: --trace-seconds needs --trace"}, "run", "images", clitest.Media+"/photos",
		"--trace-seconds", "5")
}
