package predicate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/predicate"
	"github.com/spoolmedia/spool/source/table"
)

// cells opens a table.
func cells(t testing.TB, ext, text string) table.Cells {
	t.Helper()
	rows, err := table.Open(t.Context(), ext, func(context.Context) (spool.Object, error) {
		return spool.Bytes{Data: []byte(text)}, nil
	}, table.Columns{Cells: true})
	require.NoError(t, err)
	return rows.(table.Cells)
}

// rows returns the rows for which a predicate is true.
func rows(t testing.TB, c table.Cells, text string) ([]uint32, error) {
	t.Helper()
	p, err := predicate.Parse(text)
	if err != nil {
		return nil, err
	}
	f, err := p.Bind(t.Context(), c)
	if err != nil {
		return nil, err
	}
	set, err := f.Rows(t.Context())
	if err != nil {
		return nil, err
	}
	var all []uint32
	for k := range set.All() {
		all = append(all, uint32(k))
	}
	return all, nil
}

const lines = `{"Width":300,"lang":"en","meta":{"size":1.5},"tags":["a","b"],"ok":true,"any":1,"a b":1}
{"width":200,"lang":"de","meta":{"size":2},"tags":[],"ok":false,"any":"x"}
{"width":null,"lang":"en","ok":null,"any":[1]}
{"width":400,"tags":["b"],"meta":{"size":null},"ok":true}
`

func TestRows(t *testing.T) {
	c := cells(t, ".jsonl", lines)
	for text, want := range map[string][]uint32{
		"width >= 256 and lang == 'en'":      {0},
		"width >= 256 && lang == \"en\"":     {0},
		"WIDTH < 256 or Lang == 'en'":        {0, 1, 2},
		"width > 100.5":                      {0, 1, 3},
		"100 < width < 300":                  {1},
		"lang in ['en', 'fr']":               {0, 2},
		"lang not in ['en', 'fr']":           {1},
		"not (lang in ['en', 'fr'])":         {1},
		"lang != 'en'":                       {1},
		"not (lang == 'en')":                 {1},
		"lang == nil":                        {3},
		"nil != lang":                        {0, 1, 2},
		"not (lang == 'en' and width > 250)": {1},
		"lang == 'de' or width > 350":        {1, 3},
		"not (lang == 'de' or width > 350)":  {0},
		"(width ?? 0) < 256":                 {1, 2},
		"(width == nil ? 0 : width) < 256":   {1, 2},
		"width == nil or width > 350":        {2, 3},
		"ok":                                 {0, 3},
		"not ok":                             {1},
		"!ok or lang == 'en'":                {0, 1, 2},
		"meta.size >= 1.5":                   {0, 1},
		"meta.size == 2":                     {1},
		"meta != nil":                        {0, 1, 3},
		"len(tags) > 0":                      {0, 3},
		"'b' in tags":                        {0, 3},
		"any(tags, # == 'a')":                {0},
		"tags[0] == 'a'":                     nil,
		"any == 1":                           {0},
		"any == 'x'":                         {1},
		"lang matches '^e'":                  {0, 2},
		"lang startsWith 'd'":                {1},
		"upper(lang) == 'EN'":                {0, 2},
		"width * 2 == 600":                   {0},
		"width % 2 == 0":                     {0, 1, 3},
		"$env['a b'] == 1":                   {0},
		"$env['a b'] == nil":                 {1, 2, 3},
		"let w = width; w > 250 and w < 350": {0},
		"true":                               {0, 1, 2, 3},
		"false":                              nil,
		"width == 256.0 or lang == 'de' and true and not false": {1},
	} {
		got, err := rows(t, c, text)
		if text == "tags[0] == 'a'" { // the second row has no first tag
			require.EqualError(t, err, "row 2: tags[0] == \"a\": index out of range: 0 (array length is 0)")
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestSeparated: columns of CSV are numbers if all values are.
func TestSeparated(t *testing.T) {
	c := cells(t, ".csv", "width,height,code,mixed,part\n300,1.5,007,1,1\n200,2,12,x,\n,1e3,12,,2\n")
	for text, want := range map[string][]uint32{
		"width >= 256":    {0},
		"width == nil":    {2},
		"height > 1.6":    {1, 2},
		"code == '007'":   {0},
		"mixed == '1'":    {0},
		"part + 1 == 3":   {2},
		"height == 1.5":   {0},
		"width != 300":    {1},
		"width in [300]":  {0},
		"len(code) == 3":  {0},
		"int(code) == 12": {1, 2},
	} {
		got, err := rows(t, c, text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestWrongPredicates(t *testing.T) {
	const there = "there are Width, a b, any, lang, meta, meta.size, ok, tags, width"
	c := cells(t, ".jsonl", lines)
	for text, want := range map[string]string{
		"":                      "unexpected token EOF at character 1",
		"width >=":              "unexpected token EOF at character 8",
		"width = 3":             `unexpected token Operator("=") at character 7`,
		"lang == 'en":           "literal not terminated",
		"widht >= 256":          "no column is called widht; " + there + "; did you mean Width?",
		"meta.sice > 1":         "no column is called meta.sice; " + there + "; did you mean meta.size?",
		"lang == null":          "no column is called null; " + there + "; a missing value is nil",
		"lang >= 256":           "lang >= 256: invalid operation: >= (mismatched types string and int); lang is text",
		"width == 'x'":          `width == "x": invalid operation: == (mismatched types int and string); width is`,
		"width":                 "width: must be true or false, but is int; width is whole numbers",
		"lang and width > 3":    "lang: must be true or false, but is string; lang is text",
		"width + 1":             "width + 1: must be true or false, but is int; width is whole numbers",
		"lang > 3 or width":     "(mismatched types string and int); lang is text; width: must be true",
		"foo(width) == 3":       "foo(width) == 3: unknown name foo; width is whole numbers",
		"date(lang).Year() > 1": "date(lang).Year(): values have no methods",
		"lang.foo(1) == 1":      "lang.foo(1): values have no methods",
		"now() > now()":         "now() > now(): unknown name now",
		"width.foo > 3":         "no column is called width.foo",
		"len(width) > 3":        "len(width) > 3: invalid argument for len (type int); width is whole numbers",
		"'en'":                  `"en": must be true or false, but is string`,
		"any > 1":               `row 2: any > 1: invalid operation: string > int`,
		"tags":                  "row 1: tags: ",
		"width / 0 > 1 and any": "row 1: any: ",
		"lang matches '['":      "error parsing regexp",
	} {
		_, err := rows(t, c, text)
		var problem *predicate.Error
		require.ErrorAs(t, err, &problem, text)
		assert.Contains(t, err.Error(), want, text)
		assert.NotContains(t, err.Error(), "\n", text)
		assert.NotContains(t, err.Error(), "column0", text)
	}
}

// TestUnreadableRows: a row that cannot be read is kept, so that its sample reports what is wrong.
func TestUnreadableRows(t *testing.T) {
	got, err := rows(t, cells(t, ".jsonl", "{\"a\":1}\n{\"a\":\n{\"a\":2}\n"), "a > 1")
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 2}, got)
}

func TestManyRows(t *testing.T) {
	var text strings.Builder
	text.WriteString("n,s\n")
	var want []uint32
	for i := range 20_000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i%7)
		if i%7 == 3 && i >= 5000 {
			want = append(want, uint32(i))
		}
	}
	c := cells(t, ".csv", text.String())
	got, err := rows(t, c, "n >= 5000 and s == 3")
	require.NoError(t, err)
	assert.Equal(t, want, got)

	p, err := predicate.Parse("n > 1")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Bind(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	f, err := p.Bind(t.Context(), c)
	require.NoError(t, err)
	_, err = f.Rows(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkRows(b *testing.B) {
	var text strings.Builder
	text.WriteString("path,width,height,lang\n")
	const n = 100_000
	for i := range n {
		fmt.Fprintf(&text, "images/%08d.jpg,%d,%d,%s\n", i, i%1000, i%500, []string{"en", "de"}[i%2])
	}
	c := cells(b, ".csv", text.String())
	for b.Loop() {
		_, err := rows(b, c, "width >= 256 and lang == 'en'")
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
