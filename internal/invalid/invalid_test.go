package invalid_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestOptions(t *testing.T) {
	var bad invalid.Options
	require.NoError(t, bad.Err())
	bad.Add(nil)
	require.NoError(t, bad.Err())
	bad.Value("Width", -1, "must be at least %d", 0)
	bad.Values([]spool.Option{{Name: "Width", Value: 8}, {Name: "Height", Value: 0}}, "set both, or neither")
	bad.Needs(invalid.With("Mode", "fit"), invalid.Named("Width", "Height"), "")
	bad.Excludes(invalid.Named("Width", "Height"), invalid.Named("Shorter"), "set one of them")
	bad.Excludes(invalid.Named("A"), invalid.Named("B", "C", "D"), "")
	bad.Addf("no %s", "writer")
	err := bad.Err()
	require.EqualError(t, err, `invalid options: Width -1: must be at least 0
invalid options: Width 8 and Height 0: set both, or neither
invalid options: Mode fit needs Width and Height
invalid options: Width and Height exclude Shorter: set one of them
invalid options: A excludes B, C and D
invalid options: no writer`)
	require.ErrorIs(t, err, spool.ErrOptions)
	var first *spool.OptionError
	require.ErrorAs(t, err, &first)
	assert.Equal(t, &spool.OptionError{Options: []spool.Option{{Name: "Width", Value: -1}}, Text: "must be at least 0"},
		first)

	var outer invalid.Options
	outer.Add(err)
	require.EqualError(t, outer.Err(), err.Error(), "nested problems keep their lines")
}
