package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// Every stage is measured alone, and the throughput of the whole is predicted for each number of decoders tried.
func TestBenchStages(t *testing.T) {
	for work, files := range map[string]string{"images": clitest.Media + "/photos/*/*", "videofull": clitest.Clip} {
		t.Run(work, func(t *testing.T) {
			chart := filepath.Join(t.TempDir(), "chart.svg")
			args := []string{"bench", work, "--files", files, "--size", "16", "--stages", "--plot", chart}
			var r stagesBenched
			require.NoError(t, json.Unmarshal([]byte(tool.Done(t, clitest.With(args, "--json")...)), &r))
			assert.Equal(t, work, r.Work)
			assert.Positive(t, r.Cores)
			var names []string
			for _, s := range r.Stages {
				names = append(names, s.Name)
				require.NotEmpty(t, s.Speeds, s.Name)
				for i, speed := range s.Speeds {
					assert.Equal(t, 1<<i, speed.Workers)
					assert.Positive(t, speed.Rate)
					assert.Positive(t, speed.Items)
				}
				if s.Name == "decode" {
					require.Len(t, r.Rates, len(s.Speeds))
				}
			}
			want := []string{"list", "locate", "open", "fetch", "slot", "decode", "batch"}
			if work == "videofull" { // its samples have no fixed size, and so no slots
				want = slices.DeleteFunc(want, func(name string) bool { return name == "slot" })
			}
			assert.Equal(t, want, names)
			for i, rate := range r.Rates {
				assert.Equal(t, 1<<i, rate.Workers)
				assert.Positive(t, rate.Predicted)
				assert.Positive(t, rate.Measured)
			}
			drawn, err := os.ReadFile(chart)
			require.NoError(t, err)
			assert.Contains(t, string(drawn), "all, predicted")
		})
	}
	text := tool.Done(t, "bench", "images", "--files", clitest.Media+"/photos/animal", "--size", "16", "--stages")
	assert.Regexp(t, `(?s)^images, each stage alone:\n\n +stage +workers .*\n +decode +1 .*\n\nall together:\n\n +decoders +predicted/s .*%`, text)
	tool.Refused(t, cli.ExitUsage, []string{"spool: usage: --plot needs --stages, which it draws"}, "bench", "images",
		"--files",
		clitest.Photo, "--plot", "x.svg")
}
