package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchTrain(t *testing.T) {
	var train, images benched
	flags := []string{"--files", media + "/photos/animal/*.jpg", "--size", "32", "--repeat", "2", "--json"}
	require.NoError(t, json.Unmarshal([]byte(done(t, append([]string{"bench", "train"}, flags...)...)), &train))
	require.NoError(t, json.Unmarshal([]byte(done(t, append([]string{"bench", "images"}, flags...)...)), &images))
	assert.Equal(t, "train", train.Work)
	assert.Equal(t, "images", images.Work)
	assert.Equal(t, images.Items, train.Items)
	assert.Equal(t, "exact", train.Profile)
	assert.Positive(t, train.Rate)
}

// With --train the pixels depend on the seed and the epoch, not on the number of workers.
func TestRunTrain(t *testing.T) {
	digests := func(flags ...string) []string {
		args := []string{"run", "images", media + "/photos", "--size", "32", "--batch", "44", "--epochs", "2", "--digest", "--json"}
		return linesOf(done(t, append(args, flags...)...))[:2]
	}
	train := digests("--train", "--workers", "1")
	assert.Equal(t, train, digests("--train", "--workers", "64"))
	assert.NotEqual(t, train, digests("--train", "--seed", "1"))
	assert.NotEqual(t, train[0][len("0 0"):], train[1][len("1 0"):])
	assert.NotEqual(t, train, digests())
}
