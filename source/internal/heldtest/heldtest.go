// Package heldtest is what the tests of formats of data sets share: values as the format's own reader has written them,
// and rows of any file.
package heldtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// Expected reads the values of samples from a JSON file. Numbers keep their digits.
func Expected[T any](t testing.TB, file string) (rows []T) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&rows))
	return rows
}

// Decoded returns the bytes of a value in base64.
func Decoded(t testing.TB, v any) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(v.(string))
	require.NoError(t, err)
	return string(data)
}

// Read reads the values of up to 20 rows. Every error must have a class.
func Read(t testing.TB, rows table.Rows) {
	t.Helper()
	for k := range min(rows.Len(), 20) {
		if m, ok := rows.(table.Media); ok {
			o, err := m.Open(t.Context(), k)
			if err != nil {
				assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
			} else if o != nil { // nil: the row holds no media
				assert.NoError(t, o.Close())
			}
		}
		cells, ok := rows.(table.Cells)
		if !ok {
			continue
		}
		for _, c := range cells.Columns() {
			if _, err := cells.Cell(t.Context(), k, c.Name); err != nil {
				assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
			}
		}
	}
}
