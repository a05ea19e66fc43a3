package helper

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTaskMessage(t *testing.T) {
	for _, want := range []task{
		{Head: json.RawMessage{}},
		{Session: 1 << 60, Input: 1 << 40, Area: 1, Topic: "image", Head: json.RawMessage(`{"Op":"views"}`)},
	} {
		got, err := parseTask(want.bytes())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	whole := task{Input: 1, Topic: "image"}.bytes()
	for n := range whole {
		_, err := parseTask(whole[:n])
		assert.ErrorIs(t, err, errProtocol, "%d bytes", n)
	}
}
