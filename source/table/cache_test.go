package table_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source/table"
)

// TestCache: the data used last is kept, up to the limit. If a call fails or panics, the next one unpacks.
func TestCache(t *testing.T) {
	u := table.NewCache(10)
	var made []string
	get := func(key, data string) {
		got, err := u.Get(t.Context(), key, func(context.Context) ([]byte, error) {
			made = append(made, key)
			return []byte(data), nil
		})
		require.NoError(t, err)
		require.Equal(t, data, string(got))
	}
	get("a", "1234")
	get("b", "5678")
	get("a", "1234")
	get("c", "90") // 10 bytes
	assert.Equal(t, []string{"a", "b", "c"}, made)
	get("d", "-") // evicts b
	get("a", "1234")
	get("c", "90")
	get("b", "5678") // unpacked again, evicts d
	get("a", "1234")
	assert.Equal(t, []string{"a", "b", "c", "d", "b"}, made)
	get("large", "more than all of it")
	get("large", "more than all of it")
	assert.Equal(t, []string{"a", "b", "c", "d", "b", "large", "large"}, made)

	_, err := u.Get(t.Context(), "bad", func(context.Context) ([]byte, error) { return []byte("part"), assert.AnError })
	assert.ErrorIs(t, err, assert.AnError)
	assert.Panics(t, func() { _, _ = u.Get(t.Context(), "bad", func(context.Context) ([]byte, error) { panic("no") }) })
	get("bad", "good")
	assert.Equal(t, "bad", made[len(made)-1])

	ctx, cancel := context.WithCancel(t.Context())
	_, err = u.Get(t.Context(), "slow", func(context.Context) ([]byte, error) {
		cancel()
		_, err := u.Get(ctx, "slow", nil) // waits for the call above it
		assert.ErrorIs(t, err, context.Canceled)
		get("other", "1234567890")
		return nil, nil
	})
	require.NoError(t, err)
}
