package table_test

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

func openCells(t testing.TB, ext, text string, c table.Columns) table.Cells {
	t.Helper()
	c.Cells = true
	rows, err := table.Open(t.Context(), ext, func(context.Context) (spool.Object, error) {
		return spool.Bytes{Data: []byte(text)}, nil
	}, c)
	require.NoError(t, err)
	return rows.(table.Cells)
}

// cell returns a cell as its type and text.
func cell(t testing.TB, cells table.Cells, k int, column string) string {
	t.Helper()
	c, err := cells.Cell(t.Context(), k, column)
	require.NoError(t, err)
	return c.Type.String() + ": " + string(c.Data) + c.Path
}

func TestCells(t *testing.T) {
	cells := openCells(t, ".csv", " Image ,text,Text\na.jpg,\"x,\ny\",z\nb.jpg,,\n",
		table.Columns{Path: []string{"image"}})
	untyped := func(name string) table.Column { return table.Column{Name: name, Type: table.Text, Untyped: true} }
	assert.Equal(t, []table.Column{untyped("image"), untyped("text"), untyped("text")}, cells.Columns())
	assert.Equal(t, "text: a.jpg", cell(t, cells, 0, "IMAGE"))
	assert.Equal(t, "text: x,\ny", cell(t, cells, 0, "Text"))
	assert.Equal(t, "nothing: ", cell(t, cells, 1, "text"))
	assert.Equal(t, "nothing: ", cell(t, cells, 0, "none"))
	row, err := cells.Row(1)
	require.NoError(t, err)
	assert.Equal(t, table.Row{Path: "b.jpg"}, row)

	cells = openCells(t, ".jsonl", `{"Image":{"bytes":null,"path":"p"},"n":1.0,"a.b":1,"a":{"b":2,"c":{"D":null,"e":"\u00e4"}}}`+
		"\n"+`{"IMAGE":"x","image":"y","n":"1.0","t":false}`+"\n", table.Columns{Path: []string{"image"}})
	assert.Equal(t, []table.Column{{Name: "Image", Type: table.JSON}, {Name: "Image.path", Type: table.Text},
		{Name: "a", Type: table.JSON}, {Name: "a.b", Type: table.Number}, {Name: "a.c", Type: table.JSON},
		{Name: "a.c.e", Type: table.Text}, {Name: "n", Type: table.Number}, {Name: "IMAGE", Type: table.Text},
		{Name: "image", Type: table.Text}, {Name: "t", Type: table.JSON}}, cells.Columns())
	for column, want := range map[string]string{"image": `JSON: {"bytes":null,"path":"p"}p`, "image.path": "text: p",
		"n": "a number: 1", "a.b": "a number: 1", "a.c.e": "text: ä", "A.C.E": "text: ä", "a.c.d": "nothing: ",
		"a.c.e.f": "nothing: ", "": "nothing: ", ".": "nothing: "} {
		assert.Equal(t, want, cell(t, cells, 0, column), column)
	}
	assert.Equal(t, "text: y", cell(t, cells, 1, "image"), "the exact name comes first")
	assert.Equal(t, "text: x", cell(t, cells, 1, "Image"))
	assert.Equal(t, "text: 1.0", cell(t, cells, 1, "n"))
	assert.Equal(t, "JSON: false", cell(t, cells, 1, "T"))
	for k, path := range []string{"p", "y"} {
		row, err = cells.Row(k)
		require.NoError(t, err)
		assert.Equal(t, path, row.Path)
	}
}

// TestNumbers: a number has its shortest form, and integers all their digits.
func TestNumbers(t *testing.T) {
	for written, want := range map[string]string{"1.50": "1.5", "0.10000000000000000555": "0.1", "1E2": "100",
		"-0.0": "-0",
		"1e-7": "1e-07", "1e21": "1e+21", "123456789012345678901234567890": "123456789012345678901234567890",
		"1e400": "1e400", "-7": "-7"} {
		cells := openCells(t, ".jsonl", `{"n":`+written+"}\n", table.Columns{})
		assert.Equal(t, "a number: "+want, cell(t, cells, 0, "n"))
	}
	for _, x := range []float64{0.1, 1e-300, 1e21, 123456789, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		got, err := strconv.ParseFloat(string(table.AppendNumber(nil, x, 64)), 64)
		require.NoError(t, err)
		if !math.IsNaN(x) {
			assert.Equal(t, x, got)
		}
	}
	assert.Equal(t, "0.1", string(table.AppendNumber(nil, float64(float32(0.1)), 32)))
}
