package seed

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSeedsFollowFromTheName(t *testing.T) {
	t.Setenv("SPOOL_SEED", "")
	a, b := Rand(t), Rand(t)
	var other uint64
	t.Run("other", func(t *testing.T) { other = Of(t) })
	assert.Equal(t, a.Uint64(), b.Uint64())
	assert.NotEqual(t, Of(t), other)
}

func TestSeedsCanBeChosen(t *testing.T) {
	t.Setenv("SPOOL_SEED", "17")
	assert.Equal(t, uint64(17), Of(t))
	t.Setenv("SPOOL_SEED", "random")
	one, two := Of(t), Of(t)
	assert.NotEqual(t, one, two)
	_, err := choose("chance", t.Name())
	require.Error(t, err)
}
