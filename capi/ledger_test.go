package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
)

// Advice in the text of a failure names a key, and not the field of Go.
func TestLedgerNamesKeys(t *testing.T) {
	l, err := newLedger("")
	require.NoError(t, err)
	require.NoError(t, l.Add(pipe.Failure{ID: "7", Text: "the bucket is in eu-west-1: set object.Options.Region"}))
	require.NoError(t, l.Close())
	assert.Contains(t, string(l.read()), `the bucket is in eu-west-1: set region=`)
	assert.EqualValues(t, 1, l.failures())
}
