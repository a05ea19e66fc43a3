package receipt_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/receipt"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

const size = 3 // of a batch

// batches is the number of batches of a run: several groups of rows.
func batches() int { return short.Of(3000, 1400) }

// batchOf returns a batch with values that are hard to write.
func batchOf(n int) *batch.Batch {
	b := &batch.Batch{Epoch: n / 4, Index: n % 4, Samples: make([]batch.Sample, size)}
	for i := range b.Samples {
		s := &b.Samples[i]
		s.ID, s.Label, s.Place = int64(n*size+i)<<40, int64(-1+i), n*size+i
		s.Name = fmt.Sprintf("train/é \"%d\".jpg", s.ID)
		if n == batches()-1 {
			s.Name = "\xff" + s.Name // Linux allows it
		}
		s.Crop.Left, s.Crop.Width, s.Crop.FlipX = 0.1*float64(i), 1e-300, i == 1
		s.Padding = i == 2
		if i == 0 {
			s.Key = "k"
		}
	}
	return b
}

func stateOf(n int) loader.State {
	return loader.State{Version: 1, Seed: 1<<63 + uint64(n), Batch: n, Mark: order.Mark{Taken: n * size}}
}

// write writes the receipts of n batches, and returns the name of the file.
func write(t *testing.T, ending string, n int, arguments ...string) string {
	name := filepath.Join(t.TempDir(), "receipts"+ending)
	file, err := os.Create(name)
	require.NoError(t, err)
	w, err := receipt.NewWriter(file, name, arguments, false)
	require.NoError(t, err)
	for k := range n {
		require.NoError(t, w.Write(w.Of(batchOf(k)), stateOf(k)))
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return name
}

// Any batch of a file of thousands can be read, in all forms, with its state.
func TestForms(t *testing.T) {
	for i, ending := range []string{".jsonl", ".arrow", ".parquet", ".PARQUET", ""} {
		t.Run(ending, func(t *testing.T) {
			n := batches()
			if testing.Short() && i > 2 { // other names of the same forms
				n = 10
			}
			name := write(t, ending, n, "run", "images", "https://u:secret@x/y")
			for _, k := range []int{0, 1, 1365, 1366, 2047, n - 1} {
				if k >= n {
					continue
				}
				r, err := receipt.Read(t.Context(), name, k)
				require.NoError(t, err)
				assert.Equal(t, "run", r.Arguments[0])
				assert.NotContains(t, r.Arguments[2], "secret")
				assert.NotEmpty(t, r.Version)
				require.Len(t, r.Rows, size)
				assert.Empty(t, r.Differences(batchOf(k)))
				assert.Equal(t, stateOf(k), *r.Rows[0].Before)
				want := batchOf(k).Samples[2]
				assert.Equal(t, want.Name, string(r.Rows[2].Name))
				assert.Equal(t, []any{want.ID, want.Label, int64(want.Place), want.Crop.Left, want.Crop.Width, true},
					[]any{r.Rows[2].ID, r.Rows[2].Label, r.Rows[2].Place, r.Rows[2].Left, r.Rows[2].Width, r.Rows[2].Padding})
				assert.NotEmpty(t, r.Differences(batchOf(k+1)))
			}
			_, err := receipt.Read(t.Context(), name, n)
			require.ErrorIs(t, err, spool.ErrNotFound)
			assert.ErrorContains(t, err, fmt.Sprintf("the run had %d", n))
		})
	}
}

// A file that is no receipts is ErrCorrupt, and so is half of one.
func TestNoReceipts(t *testing.T) {
	for _, ending := range []string{".jsonl", ".arrow", ".parquet"} {
		name := write(t, ending, 0, "run")
		_, err := receipt.Read(t.Context(), name, 0)
		require.Error(t, err, ending)
		whole := write(t, ending, 2000, "run")
		text, err := os.ReadFile(whole)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, text[:len(text)/3], 0o600))
		_, err = receipt.Read(t.Context(), name, 1999)
		require.Error(t, err, ending)
		require.NoError(t, os.WriteFile(name, []byte("no receipts at all, but some text"), 0o600))
		_, err = receipt.Read(t.Context(), name, 0)
		classes := []spool.Class{spool.ErrCorrupt, spool.ErrTruncated, spool.ErrNotMedia}
		assert.Contains(t, classes, spool.ClassOf(err), "%v", err)
		_, err = receipt.Read(t.Context(), name+".none"+ending, 0)
		assert.Equal(t, spool.ErrNotFound, spool.ClassOf(err), "%v", err)
	}
}

// pyarrow reads both tables, with the same values.
func TestPyArrow(t *testing.T) {
	python := need.Peer(t, "pyarrow.parquet")
	const script = `
import json, sys, pyarrow.ipc, pyarrow.parquet
a = pyarrow.ipc.open_file(sys.argv[1]).read_all()
p = pyarrow.parquet.read_table(sys.argv[2])
a.validate(full=True); p.validate(full=True)
assert a.schema.names == p.schema.names, (a.schema, p.schema)
assert a.drop_columns("name").to_pylist() == p.drop_columns("name").to_pylist()
rows = int(sys.argv[3])
assert a.num_rows == rows and a.column("batch").to_pylist() == [i // 3 for i in range(rows)]
row = p.drop_columns("name").to_pylist()[4]
assert row["flip_x"] is True and row["left"] == 0.1 and row["key"] is None and row["id"] == 4 << 40, row
assert json.loads(p.column("before")[3].as_py())["seed"] == (1 << 63) + 1
assert p.column("before")[4].as_py() is None
assert json.loads(p.column("run")[0].as_py())["arguments"] == ["run"]
`
	n := batches() - 1 // the last one's name is no text
	out, err := exec.CommandContext(t.Context(), python, "-c", script, write(t, ".arrow", n, "run"),
		write(t, ".parquet", n, "run"), strconv.Itoa(n*size)).CombinedOutput()
	require.NoError(t, err, string(out))
}
