package run

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/tally"
)

// Two arguments of very different length are drawn by their weights, and full passes of each are permutations.
func TestMix(t *testing.T) {
	a, b := filepath.Join(clitest.Media, "photos", "animal"), filepath.Join(clitest.Media, "photos")
	ledger := filepath.Join(t.TempDir(), "ledger")
	run := []string{"run", "images", a, b, clitest.Media + "/hard/bad/text.jpg", "--mix",
		"animal=0.5,photos=0.3,text.jpg=0.2", "--limit", "200", "--batch", "10", "--size", "16",
		"--ledger", ledger, "--json", "--digest", "--shuffle", "--on-error", "placeholder"}
	o := tool.Run(run...)
	require.Zero(t, o.Code, o.Stderr)
	lines := clitest.Digests(o.Stdout)
	require.Len(t, lines, 20)
	var s tally.Tally
	require.NoError(t, json.Unmarshal([]byte(o.Stdout[len(o.Stdout)-len(clitest.Lines(o.Stdout)[20])-1:]), &s))
	assert.Equal(t, 200, s.Samples)
	assert.EqualValues(t, 40, s.Failed, "two of ten are the bad one")
	assert.Equal(t, lines, clitest.Digests(tool.Run(clitest.With(run, "--workers", "5")...).Stdout))
	assert.NotEqual(t, lines, clitest.Digests(tool.Run(clitest.With(run, "--seed", "5")...).Stdout))
}

// The sources of records are mixed, too.
func TestMixOfRecords(t *testing.T) {
	o := tool.Run("run", "records", clitest.Media+"/photos/animal", clitest.Media+"/photos/space", "--field",
		"image=image:path,size=8", "--mix", "animal=1,space=0", "--limit", "4", "--batch", "4", "--digest")
	require.Zero(t, o.Code, o.Stderr)
	alone := tool.Run("run", "records", clitest.Media+"/photos/animal", "--field", "image=image:path,size=8", "--limit",
		"4", "--batch", "4", "--digest")
	require.Zero(t, alone.Code, alone.Stderr)
	assert.Equal(t, clitest.Digests(alone.Stdout), clitest.Digests(o.Stdout))
	other := tool.Run("run", "records", clitest.Media+"/photos/animal", clitest.Media+"/photos/space", "--field",
		"image=image:path,size=8", "--mix", "animal=0,space=1", "--limit", "4", "--batch", "4", "--digest")
	require.Zero(t, other.Code, other.Stderr)
	assert.NotEqual(t, clitest.Digests(alone.Stdout), clitest.Digests(other.Stdout))
}

// Windows of videos are drawn by the weights of their arguments.
func TestMixOfWindows(t *testing.T) {
	video := func(name string) string { return filepath.Join(clitest.Media, "video", name) }
	run := []string{"--windows", "0.4", "--size", "16", "--batch", "1", "--limit", "3", "--digest"}
	want := tool.Done(t, append([]string{"run", "video", video("opengop.mp4")}, run...)...)
	got := tool.Done(t, append([]string{"run", "video", video("bframes.mp4"), video("opengop.mp4"), "--mix",
		"bframes.mp4=0,opengop.mp4=1"}, run...)...)
	assert.Equal(t, clitest.Digests(want), clitest.Digests(got))
}

func TestMixRefuses(t *testing.T) {
	run := func(more ...string) []string {
		return append([]string{"run", "images", clitest.Media + "/photos", clitest.Media + "/hard"}, more...)
	}
	tool.Refused(t, 2, []string{"spool: usage: --mix photos: must be of the form a=0.7,b=0.3"}, run("--mix", "photos")...)
	tool.Refused(t, 2, []string{"spool: usage: --mix photos=-1: must be of the form a=0.7,b=0.3"},
		run("--mix", "photos=-1")...)
	tool.Refused(t, 2, []string{"spool: usage: --mix has no weight for the source " + clitest.Media + "/hard: add hard=W",
		"spool: usage: --mix: no source is called soft"}, run("--mix", "photos=1,soft=1")...)
	tool.Refused(t, 2, []string{"spool: usage: --mix: none of 2 weights is above 0"}, run("--mix", "photos=0,hard=0")...)
}
