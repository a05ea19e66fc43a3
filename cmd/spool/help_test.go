package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
)

// Each command says what it does, shows examples, and has each flag under a heading.
func TestHelpOfEachCommand(t *testing.T) {
	all := leaves(cli.Root(nil, commands...))
	require.NotEmpty(t, all)
	for _, c := range all {
		assert.NotEmpty(t, c.Long, c.CommandPath())
		assert.NotEmpty(t, c.Example, c.CommandPath())
		assert.NotContains(t, c.UsageString(), "\nOther:\n", c.CommandPath())
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			assert.LessOrEqual(t, len(line), 121, line)
		}
	}
}

// Help texts are of commands that exist, and their examples are calls of the command with its flags.
func TestExamplesOfHelp(t *testing.T) {
	text, err := os.ReadFile("internal/cli/help.txt")
	require.NoError(t, err)
	var c *cobra.Command
	examples := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		if name, found := strings.CutPrefix(line, "["); found {
			name = strings.TrimSuffix(name, "]")
			if name == "spool" {
				continue // the root, which has no examples
			}
			c, _, err = cli.Root(nil, commands...).Find(strings.Fields(name))
			require.NoError(t, err, line)
			assert.Equal(t, "spool "+name, c.CommandPath())
		}
		call, found := strings.CutPrefix(line, "    ")
		if !found {
			continue
		}
		examples++
		words := strings.Fields(strings.ReplaceAll(call, "'", ""))
		require.Equal(t, "spool", words[0], line)
		at, rest, err := cli.Root(words[1:], commands...).Find(words[1:])
		require.NoError(t, err, line)
		assert.Equal(t, c.CommandPath(), at.CommandPath(), line)
		require.NoError(t, at.ParseFlags(rest), line)
		for _, word := range rest {
			if flag, found := strings.CutPrefix(word, "--"); found {
				assert.NotNil(t, at.Flags().Lookup(flag), line)
			}
		}
	}
	assert.Greater(t, examples, 30)
}
