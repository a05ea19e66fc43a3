package lerobot_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
)

// The subtasks of a data set that LeRobot has written: three frames of each, and the rest of the last.
func TestSubtasks(t *testing.T) {
	inputs := []source.Input{{Name: "frame_time"}, {Name: "task"}, {Name: "subtask", Optional: true}}
	for name, words := range map[string][3]string{"all": {"reach", "grasp", "lift"}, "gap": {"reach", "", "lift"}} {
		root := t.TempDir()
		require.NoError(t, os.CopyFS(root, os.DirFS("testdata/written")))
		if name == "gap" {
			data, err := os.ReadFile("testdata/subtasks.parquet")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(root, "meta/subtasks.parquet"), data, 0o600))
		}
		d := open(t, root, lerobot.Options{})
		require.True(t, d.HasSubtask())
		r, err := d.Records(inputs)
		require.NoError(t, err)
		row := 0
		for e, length := range []int{9, 6, 12, 5} {
			for f := range length {
				task, _ := read(t, r, row, 1)
				assert.Equal(t, []string{"pick the cube", "open the drawer"}[e%2], string(task))
				if want := words[min(2, f/3)]; want == "" {
					o, err := r.OpenInput(t.Context(), row, 2)
					require.NoError(t, err)
					assert.Nil(t, o, "row %d", row)
				} else {
					subtask, _ := read(t, r, row, 2)
					assert.Equal(t, want, string(subtask), "row %d", row)
				}
				row++
			}
		}
		assert.Equal(t, d.Len(), row)
		require.NoError(t, os.Remove(filepath.Join(root, "meta/subtasks.parquet")))
		assert.False(t, open(t, root, lerobot.Options{}).HasSubtask())
	}
}
