package parquet_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// TestNumbers compares columns of numbers with the bytes that pyarrow wrote.
func TestNumbers(t *testing.T) {
	text, err := os.ReadFile("testdata/numbers.json")
	require.NoError(t, err)
	var want map[string][]byte
	require.NoError(t, json.Unmarshal(text, &want))
	require.Len(t, want, 11)
	dtypes := map[string]spool.DType{"truth": spool.Uint8, "small": spool.Int32, "half": spool.Float16,
		"single": spool.Float32, "double": spool.Float64, "state": spool.Float32, "matrix": spool.Float64}
	widths := map[string]int{"state": 7, "words": 5, "matrix": 6}
	for _, file := range []string{"numbers_v1.parquet", "numbers_v2.parquet"} {
		for _, limit := range []int64{7 << 10, 1 << 20} { // columns are read again, or cached
			rows, f, err := open(t, file, all, limit)
			require.NoError(t, err)
			cells := rows.(table.Numeric)
			require.Equal(t, []int{130, 130, 40}, cells.Sizes())
			for column, bytes := range want {
				var got []byte
				for part, rows := range cells.Sizes() {
					n, err := cells.Numbers(t.Context(), part, strings.ToUpper(column))
					require.NoError(t, err, column)
					dtype, ok := dtypes[column]
					if !ok {
						dtype = spool.Int64
					}
					require.Equal(t, dtype, n.DType, column)
					require.Equal(t, max(1, widths[column]), n.Width, column)
					for k := range rows {
						got = append(got, n.Row(k)...)
					}
				}
				require.Equal(t, bytes, got, column)
			}
			assert.Zero(t, f.open.Load())
		}
	}
}

// Columns of other things, missing values, lists of several lengths, and columns without room are errors.
func TestNumbersThatAreNone(t *testing.T) {
	rows, _, err := open(t, "numbers_v1.parquet", all, 1<<20)
	require.NoError(t, err)
	cells := rows.(table.Numeric)
	for column, class := range map[string]error{"none": spool.ErrNotFound, "text": spool.ErrUnsupported,
		"ragged": spool.ErrUnsupported, "gaps": spool.ErrUnsupported} {
		_, err := cells.Numbers(t.Context(), len(cells.Sizes())-1, column)
		assert.ErrorIs(t, err, class, column)
	}
	rows, _, err = open(t, "numbers_v1.parquet", all, 600)
	require.NoError(t, err)
	_, err = rows.(table.Numeric).Numbers(t.Context(), 0, "double")
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}
