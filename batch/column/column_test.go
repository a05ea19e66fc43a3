package column_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch/column"
)

// build returns a column of texts, where "-" is missing.
func build(t *testing.T, format string, texts ...string) column.Column {
	t.Helper()
	b, err := column.NewBuilder(column.Field{Name: "c", Format: format}, len(texts))
	require.NoError(t, err)
	for _, text := range texts {
		if text == "-" {
			b.Null()
		} else {
			require.NoError(t, b.Append([]byte(text)))
		}
	}
	return b.Column()
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		format string
		texts  []string
		want   []any
	}{
		{"u", []string{"a", "", "-", "ä", "\xff!"}, []any{"a", "", nil, "ä", "\uFFFD!"}},
		{"z", []string{"-", "\x00\xff"}, []any{nil, []byte{0, 255}}},
		{"b", []string{"true", "-", "false", "true", "true", "-", "false", "true", "true", "false"},
			[]any{true, nil, false, true, true, nil, false, true, true, false}},
		{"c", []string{"-128", "127"}, []any{int64(-128), int64(127)}},
		{"C", []string{"255", "-"}, []any{uint64(255), nil}},
		{"s", []string{"-32768"}, []any{int64(-32768)}},
		{"S", []string{"65535"}, []any{uint64(65535)}},
		{"i", []string{"-2147483648", "5"}, []any{int64(math.MinInt32), int64(5)}},
		{"I", []string{"4294967295"}, []any{uint64(math.MaxUint32)}},
		{"l", []string{"-9223372036854775808"}, []any{int64(math.MinInt64)}},
		{"L", []string{"18446744073709551615"}, []any{uint64(math.MaxUint64)}},
		{"e", []string{"0.5", "1e9", "-2.5"}, []any{float32(0.5), float32(math.Inf(1)), float32(-2.5)}},
		{"f", []string{"0.1", "-Infinity"}, []any{float32(0.1), float32(math.Inf(-1))}},
		{"g", []string{"0.1", "1e400"}, []any{0.1, math.Inf(1)}},
		{"tdD", []string{"-3000"}, []any{int64(-3000)}},
		{"ttm", []string{"86399999"}, []any{int64(86399999)}},
		{"tsu:UTC", []string{"-1"}, []any{int64(-1)}},
		{"w:3", []string{"abc", "-"}, []any{[]byte("abc"), nil}},
		{"d:20,3", []string{"-1.5", "12345678901234567.891", "0"}, []any{"-1.500", "12345678901234567.891", "0.000"}},
	} {
		got := build(t, c.format, c.texts...)
		require.Equal(t, len(c.want), got.Len)
		nulls := 0
		for i, want := range c.want {
			assert.Equal(t, want, got.Value(i), "%s %d", c.format, i)
			if want == nil {
				nulls++
			}
		}
		assert.Equal(t, nulls, got.Nulls)
		assert.Equal(t, nulls > 0, got.Valid != nil)
	}
	b, err := column.NewBuilder(column.Field{Name: "c", Format: "+l", Element: "u"}, 3)
	require.NoError(t, err)
	require.NoError(t, b.Append([]byte(`["a",null,"\u00e4"]`)))
	b.Null()
	require.NoError(t, b.Append([]byte(`[]`)))
	require.ErrorIs(t, b.Append([]byte(`{}`)), spool.ErrCorrupt)
	lists := b.Column()
	assert.Equal(t, []any{[]any{"a", nil, "ä"}, nil, []any{}}, []any{lists.Value(0), lists.Value(1), lists.Value(2)})
	nan := build(t, "g", "NaN")
	assert.True(t, math.IsNaN(nan.Value(0).(float64)))
}

// TestManyNulls compares bits with a list, for all lengths.
func TestManyNulls(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		texts, want := make([]string, n), make([]any, n)
		for i := range texts {
			texts[i] = "-"
			if r.IntN(3) > 0 {
				texts[i], want[i] = strconv.Itoa(i), int64(i)
			}
		}
		c := build(t, "i", texts...)
		for i := range n {
			assert.Equal(t, want[i], c.Value(i))
		}
		assert.Len(t, c.Data, 4*n)
	}
}

// TestHalves: all numbers of 16 bits are read back, and others are rounded to the nearest.
func TestHalves(t *testing.T) {
	var all []float64
	for bits := range 1 << 16 {
		c := column.Column{Field: column.Field{Format: "e"}, Len: 1, Data: []byte{byte(bits), byte(bits >> 8)}}
		x := float64(c.Value(0).(float32))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		all = append(all, x)
		back := build(t, "e", strconv.FormatFloat(x, 'g', -1, 64))
		require.Equal(t, c.Data, back.Data, x)
	}
	require.Len(t, all, 2*31*1024)
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := math.Ldexp(r.Float64()-0.5, r.IntN(40)-24)
		c := build(t, "e", strconv.FormatFloat(x, 'g', -1, 64))
		got, least := float64(c.Value(0).(float32)), math.Inf(1)
		for _, other := range all {
			least = min(least, math.Abs(other-x))
		}
		assert.Equal(t, least, math.Abs(got-x), x)
	}
}

func TestWrongValues(t *testing.T) {
	for format, text := range map[string]string{"c": "128", "C": "-1", "l": "1.5", "g": "x", "b": "maybe", "w:3": "ab",
		"d:5,2": "1.234", "d:38,0": "340282366920938463463374607431768211456"} {
		b, err := column.NewBuilder(column.Field{Name: "n", Format: format}, 1)
		require.NoError(t, err)
		err = b.Append([]byte(text))
		require.ErrorIs(t, err, spool.ErrCorrupt, format)
		require.ErrorContains(t, err, "column n: ")
		c := b.Column()
		assert.Zero(t, c.Len)
		assert.Empty(t, c.Data)
	}
	for _, format := range []string{"", "+l", "q"} {
		_, err := column.NewBuilder(column.Field{Name: "n", Format: format}, 1)
		require.ErrorIs(t, err, spool.ErrUnsupported)
	}
}
