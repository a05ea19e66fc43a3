package enum_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type color uint8

func TestNames(t *testing.T) {
	names := enum.Names{"red", "Green"}
	assert.Equal(t, "red", names.Of("Color", 0))
	assert.Equal(t, "Green", names.Of("Color", 1))
	assert.Equal(t, "Color(2)", names.Of("Color", 2))

	c := color(7)
	require.NoError(t, enum.Parse(&c, []byte("Green"), names))
	assert.Equal(t, color(1), c)
	for _, wrong := range []string{"green", "", "blue"} {
		require.EqualError(t, enum.Parse(&c, []byte(wrong), names), `"`+wrong+`" is not one of ["red" "Green"]`)
		assert.Equal(t, color(1), c, "an error leaves the value")
	}
	require.NoError(t, enum.ParseFold(&c, []byte("RED"), names))
	assert.Equal(t, color(0), c)
	require.NoError(t, enum.ParseFold(&c, []byte("green"), names))
	assert.Equal(t, color(1), c)
	assert.EqualError(t, enum.ParseFold(&c, []byte("blue"), names), `"blue" is not one of ["red" "Green"]`)
}

func TestCounts(t *testing.T) {
	var counters [3]atomic.Int64
	name := func(value int) string { return enum.Names{"red", "green", "blue"}[value] }
	assert.Nil(t, enum.Counts(counters[:], name))
	counters[0].Add(2)
	counters[2].Add(1)
	assert.Equal(t, map[string]int64{"red": 2, "blue": 1}, enum.Counts(counters[:], name))
}
