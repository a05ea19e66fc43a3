package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two arguments of very different length come as often as their weights say, and whole passes of each are permutations.
func TestMix(t *testing.T) {
	a, b := filepath.Join(media, "photos", "animal"), filepath.Join(media, "photos")
	ledger := filepath.Join(t.TempDir(), "ledger")
	run := []string{"run", "images", a, b, media + "/hard/bad/text.jpg", "--mix", "animal=0.5,photos=0.3,text.jpg=0.2", "--limit", "200", "--batch", "10", "--size", "16",
		"--ledger", ledger, "--json", "--digest", "--shuffle", "--on-error", "placeholder"}
	o := command(run...)
	require.Zero(t, o.code, o.stderr)
	lines := digestLines(o.stdout)
	require.Len(t, lines, 20)
	var s summary
	require.NoError(t, json.Unmarshal([]byte(o.stdout[len(o.stdout)-len(linesOf(o.stdout)[20])-1:]), &s))
	assert.Equal(t, 200, s.Samples)
	assert.EqualValues(t, 40, s.Failed, "two of ten are the bad one")
	assert.Equal(t, lines, digestLines(command(with(run, "--workers", "5")...).stdout))
	assert.NotEqual(t, lines, digestLines(command(with(run, "--seed", "5")...).stdout))
}

func TestMixRefuses(t *testing.T) {
	run := func(more ...string) []string {
		return append([]string{"run", "images", media + "/photos", media + "/hard"}, more...)
	}
	refused(t, 2, []string{"spool: usage: --mix photos: not of the form a=0.7,b=0.3"}, run("--mix", "photos")...)
	refused(t, 2, []string{"spool: usage: --mix photos=-1: not of the form a=0.7,b=0.3"}, run("--mix", "photos=-1")...)
	refused(t, 2, []string{"spool: usage: --mix has 0 weights for " + media + "/hard", "spool: usage: --mix soft: 0 arguments of that name"}, run("--mix", "photos=1,soft=1")...)
	refused(t, 2, []string{"spool: usage: --mix: none of 2 weights is above 0"}, run("--mix", "photos=0,hard=0")...)
}
