package settings_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/yamljson"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source/lerobot"
)

const (
	arm     = "../../source/lerobot/testdata/arm"
	written = "../../source/lerobot/testdata/written" // by LeRobot
)

// list reads settings from JSON, and lists a source.
func list(t testing.TB, text string, sources ...string) (record.Schema, int, error) {
	t.Helper()
	s := settings.Set{YAML: yamljson.Convert}
	l := s.LoadRecords()
	s.JSON([]byte(text))
	l.Judge(&s, sources)
	if err := s.Err(); err != nil {
		return nil, 0, err
	}
	src, err := l.List(context.Background(), sources, nil)
	if err != nil {
		return nil, 0, err
	}
	return l.Schema(), src.Len(), nil
}

// The fields of a LeRobot data set are its features, by flags and by JSON.
func TestRobot(t *testing.T) {
	got, n, err := list(t, `{"delta": {"action": [0, 0.1], "observation.images.wrist": [-0.1]}, "episodes": [1, 3],
		"cameras": {"size": 32, "dtype": "float32", "layout": "nchw", "tolerance": 0.01}}`, arm)
	require.NoError(t, err)
	assert.Equal(t, 14, n)
	wrist := got[got.Find("observation.images.wrist")].Kind.(record.Video)
	assert.Equal(t, 32, wrist.Spec.Resize.Width)
	assert.Equal(t, spool.Float32, wrist.Spec.DType)
	assert.Equal(t, []float64{-0.1}, wrist.Times)
	assert.InDelta(t, 0.01, wrist.Tolerance, 0)
	assert.Equal(t, spool.Shape{2, 2}, got[got.Find("action")].Kind.(record.Number).Shape)
	assert.Positive(t, got.Find("action_is_pad"))

	var flags settings.Set
	set := map[string]*settings.Setting{}
	flags.Defined = func(s *settings.Setting) { set[s.Name] = s }
	l := flags.LoadRecords()
	require.NoError(t, set["delta"].Set("action=0,0.1"))
	require.NoError(t, set["delta"].Set("observation.images.wrist=-0.1"))
	require.NoError(t, set["episodes"].Set("1,3"))
	require.NoError(t, set["cameras"].Set("size=32,dtype=float32,layout=nchw,tolerance=0.01"))
	l.Judge(&flags, []string{arm})
	require.NoError(t, flags.Err())
	_, err = l.List(context.Background(), []string{arm}, nil)
	require.NoError(t, err)
	assert.Equal(t, got, l.Schema())
}

// Fields of a schema may be any inputs of the data set. The printed schema is the one without a schema.
func TestRobotWithFields(t *testing.T) {
	got, n, err := list(t, `{"fields": {"state": {"kind": "number", "input": "observation.state", "shape": 3}}}`, arm)
	require.NoError(t, err)
	assert.Len(t, got, 1)
	assert.Equal(t, 32, n)

	for _, root := range []string{arm, written} {
		set, err := lerobot.Open(context.Background(), root, lerobot.Options{})
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "schema.yaml")
		require.NoError(t, os.WriteFile(file, []byte(settings.RobotSchema(set)), 0o600))
		text, err := json.Marshal(map[string]string{"schema": file})
		require.NoError(t, err)
		fromFile, _, err := list(t, string(text), root)
		require.NoError(t, err)
		for i, f := range record.LeRobotSchema(set, record.Video{}) {
			assert.Equal(t, f.Name, fromFile[i].Name)
			assert.Equal(t, f.Optional, fromFile[i].Optional, f.Name)
			if k, ok := f.Kind.(record.Video); ok {
				other := fromFile[i].Kind.(record.Video)
				assert.Equal(t, []any{k.Times, k.Start, k.End, k.At, k.Tolerance, k.Spec.Resize.Width, k.Spec.Resize.Height},
					[]any{other.Times, other.Start, other.End, other.At, other.Tolerance, other.Spec.Resize.Width,
						other.Spec.Resize.Height})
				continue
			}
			if k, ok := f.Kind.(record.Image); ok {
				other := fromFile[i].Kind.(record.Image)
				assert.Equal(t, []any{k.Spec.Resize.Width, k.Spec.Resize.Height, k.Spec.DType, k.Spec.Color},
					[]any{other.Spec.Resize.Width, other.Spec.Resize.Height, other.Spec.DType, other.Spec.Color})
				continue
			}
			assert.Equal(t, f.Kind, fromFile[i].Kind, f.Name)
		}
	}
}

func TestWrongRobots(t *testing.T) {
	for text, want := range map[string]string{
		`{"delta": {"action": [0.05]}}`: "delta=action: 0.05 is no multiple of 1/10",
		`{"delta": {"actoin": [0.1]}}`:  "did you mean action?",
		`{"delta": [1]}`:                "an object with a list of seconds",
		`{"episodes": [6]}`:             "episodes=6: the data set has 6 episodes",
		`{"episodes": ["a"]}`:           "numbers of episodes",
		`{"cameras": {"sise": 3}}`:      "did you mean size?",
		`{"cameras": {"size": 3}, "fields": {"n": {"kind": "number"}}}`: "cameras excludes",
		`{"fields": {"n": {"kind": "number", "input": "acton"}}}`:       "did you mean action?",
	} {
		_, _, err := list(t, text, arm)
		require.ErrorContains(t, err, want, text)
	}
	_, _, err := list(t, `{"fields": {"n": {"kind": "number"}}, "delta": {"n": [0]}}`, "../../testdata/records/000.tar")
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "delta: is for a LeRobot data set")
	_, _, err = list(t, `{}`, "../../testdata/photos")
	require.ErrorContains(t, err, "at least one field")
	_, _, err = list(t, `{}`, arm, arm)
	require.ErrorContains(t, err, "at least one field")
}
