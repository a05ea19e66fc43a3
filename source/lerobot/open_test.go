package lerobot_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/lerobot"
)

// spoiled copies the data set, and replaces words of its description.
func spoiled(t testing.TB, replace ...string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS("testdata/arm")))
	info := filepath.Join(root, "meta/info.json")
	text, err := os.ReadFile(info)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(info, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600))
	return root
}

// Wrong metadata is an error of Open, with its file.
func TestWrongMetadata(t *testing.T) {
	camera := `"observation.images.front": {`
	other := `"observation.images.third": {"dtype": "video", "shape": [4, 4, 3]},` + camera
	for name, c := range map[string]struct {
		replace []string
		remove  string
		file    string
		class   spool.Class
		text    string
	}{
		"version":    {[]string{"v3.0", "v2.1"}, "", "meta/info.json", spool.ErrUnsupported, "converts data sets to v3.0"},
		"no version": {[]string{"codebase_version", "other"}, "", "meta/info.json", spool.ErrCorrupt, "codebase_version"},
		"no JSON":    {[]string{"{", "["}, "", "meta/info.json", spool.ErrCorrupt, ""},
		"no fps":     {[]string{`"fps": 10`, `"fps": 0`}, "", "meta/info.json", spool.ErrCorrupt, "fps is 0"},
		"camera": {[]string{camera, other}, "", "meta/episodes/chunk-000/file-000.parquet", spool.ErrCorrupt,
			"camera observation.images.third: no column videos/observation.images.third/chunk_index"},
		"episodes": {[]string{`"total_episodes": 6`, `"total_episodes": 7`}, "", "meta/episodes", spool.ErrCorrupt,
			"6 episodes, and meta/info.json says 7"},
		"path":     {[]string{"data/chunk-{", "data/{x}-{"}, "", "meta/info.json", spool.ErrCorrupt, "unknown field {x}"},
		"outside":  {[]string{"data/chunk-{", "../{"}, "", "meta/info.json", spool.ErrCorrupt, "outside of the data set"},
		"shape":    {[]string{"64,\n                48,", "64,\n"}, "", "meta/info.json", spool.ErrCorrupt, ""},
		"features": {[]string{`"features": {`, `"features": [], "x": {`}, "", "meta/info.json", spool.ErrCorrupt, "features"},
		"no info":  {nil, "meta/info.json", "meta/info.json", spool.ErrNotFound, ""},
		"no tasks": {nil, "meta/tasks.parquet", "meta/tasks.parquet", spool.ErrNotFound, ""},
		"half": {nil, "meta/episodes/chunk-000/file-001.parquet", "meta/episodes", spool.ErrCorrupt,
			"4 episodes, and meta/info.json says 6"},
		"first half": {[]string{`"total_episodes": 6`, `"total_episodes": 2`}, "meta/episodes/chunk-000/file-000.parquet",
			"meta/episodes", spool.ErrCorrupt, "row 0 has episode 4"},
		"no episodes": {nil, "meta/episodes/chunk-000", "meta/episodes", spool.ErrNotFound, ""},
	} {
		root := spoiled(t, c.replace...)
		if c.remove != "" {
			require.NoError(t, os.RemoveAll(filepath.Join(root, c.remove)))
		}
		_, err := lerobot.Open(context.Background(), root, lerobot.Options{})
		require.ErrorIs(t, err, c.class, name)
		assert.ErrorContains(t, err, c.text, name)
		var e *spool.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, filepath.Join(root, c.file), e.File, name)
	}
}

// A camera without a value in one episode is an error that names the episode. gaps is written by gen.py.
func TestEpisodeWithoutPlace(t *testing.T) {
	root := spoiled(t)
	const file = "meta/episodes/chunk-000/file-001.parquet"
	gaps, err := os.ReadFile("testdata/gaps.parquet")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, file), gaps, 0o600))
	_, err = lerobot.Open(context.Background(), root, lerobot.Options{})
	require.ErrorIs(t, err, spool.ErrCorrupt)
	assert.ErrorContains(t, err, "camera observation.images.wrist: episode 5 has no "+
		"videos/observation.images.wrist/from_timestamp")
}

// Options that do not fit the data set are reported at once.
func TestWrongOptions(t *testing.T) {
	for text, o := range map[string]lerobot.Options{
		"0.05 is no multiple of 1/10":                          {DeltaTimestamps: map[string][]float64{"action": {0, 0.05}}},
		"the list is empty":                                    {DeltaTimestamps: map[string][]float64{"action": {}}},
		"no feature with windows has this name; did you mean ": {DeltaTimestamps: map[string][]float64{"actoin": {0}}},
		"no feature with windows has this name":                {DeltaTimestamps: map[string][]float64{"note": {0}}},
		"the data set has 6 episodes":                          {Episodes: []int{0, 6}},
		"must not be negative":                                 {Tolerance: -1},
		"Memory":                                               {Memory: -1},
		"Episodes: the list is empty":                          {Episodes: []int{}},
	} {
		_, err := lerobot.Open(context.Background(), "testdata/arm", o)
		require.ErrorIs(t, err, spool.ErrOptions, text)
		assert.ErrorContains(t, err, text)
	}
	_, err := lerobot.Open(context.Background(), "testdata/arm", lerobot.Options{Episodes: []int{-1},
		DeltaTimestamps: map[string][]float64{"action": {0.05}, "none": {0}}})
	for _, text := range []string{"Episodes", "0.05", "none"} {
		assert.ErrorContains(t, err, text)
	}
}

func TestIs(t *testing.T) {
	for root, want := range map[string]bool{"testdata/arm/": true, spoiled(t, "v3.0", "v2.1"): true, "testdata": false,
		"testdata/gen.py": false, "none": false} {
		is, err := lerobot.Is(context.Background(), root, lerobot.Options{})
		require.NoError(t, err)
		assert.Equal(t, want, is, root)
	}
}

// What the description says.
func TestInfo(t *testing.T) {
	info := open(t, "testdata/arm", lerobot.Options{}).Info()
	assert.InDelta(t, 10, info.FPS, 0)
	assert.Equal(t, 32, info.Frames)
	f, ok := info.Feature("observation.images.wrist")
	assert.True(t, ok)
	assert.Equal(t, lerobot.Feature{Name: "observation.images.wrist", DType: "video", Kind: lerobot.Video,
		Shape: []int{64, 48, 3}}, f)
	f, _ = open(t, "testdata/stills", lerobot.Options{}).Info().Feature("observation.image")
	assert.Equal(t, []int{48, 64, 3}, f.Shape, "channels come first in the file")
}
