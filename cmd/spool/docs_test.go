package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
)

// leaves returns the commands without subcommands.
func leaves(c *cobra.Command) (all []*cobra.Command) {
	if !c.HasSubCommands() {
		return []*cobra.Command{c}
	}
	for _, member := range c.Commands() {
		if !slices.Contains([]string{"help", "completion", "manual"}, member.Name()) {
			all = append(all, leaves(member)...)
		}
	}
	return all
}

// The page has a section for each command, which names each of its flags with the default, and no others.
func TestPageNamesAllFlags(t *testing.T) {
	page := clitest.Sections(t)
	alike := regexp.MustCompile("Flags and keys are those of `([a-z ]+)`")
	word := regexp.MustCompile("--[a-z][a-z-]*")
	all := leaves(cli.Root(nil, commands...))
	require.NotEmpty(t, all)
	for _, c := range all {
		section := page[c.CommandPath()]
		require.NotEmpty(t, section, "no section ## %s", c.CommandPath())
		if same := alike.FindStringSubmatch(section); same != nil {
			section = page["spool "+same[1]]
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			row := regexp.MustCompile("(?m)^\\|[^|]*`--" + f.Name + "[ `][^|]*\\|([^|]*)\\|").FindStringSubmatch(section)
			if row == nil {
				row = regexp.MustCompile("(?m)^\\|[^|]*`--" + f.Name + "[ `][^|]*\\|([^|]*)\\|").FindStringSubmatch(page["Pixels"] + page["Limits"] + page["Stores"] + page["Disk cache"])
				assert.True(t, strings.Contains(section, "`--"+f.Name+"`") || strings.Contains(section, "[--"+f.Name+"]"),
					"%s: no --%s", c.CommandPath(), f.Name)
			}
			if row == nil { // a flag without a default may be named in a sentence
				assert.Contains(t, []string{"", "false"}, f.DefValue, "%s: no row for --%s", c.CommandPath(), f.Name)
				return
			}
			if f.DefValue != "" {
				assert.Equal(t, f.DefValue, strings.TrimSpace(row[1]), "%s: the default of --%s", c.CommandPath(), f.Name)
			}
		})
		for _, name := range word.FindAllString(section, -1) {
			assert.NotNil(t, c.Flags().Lookup(name[2:]), "%s has no %s", c.CommandPath(), name)
		}
	}
}

// The page on the JPEG engine names each reason for which it leaves an image to libjpeg-turbo.
func TestPageNamesAllReasons(t *testing.T) {
	page, err := os.ReadFile("../../docs/jpeg.md")
	require.NoError(t, err)
	for reason := baseline.Decoded + 1; int(reason) < baseline.Reasons; reason++ {
		assert.Contains(t, string(page), "\n| `"+reason.String()+"` |")
	}
}

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	for heading, objects := range map[string][]any{
		"spool run images": {tally.Tally{}, pipe.Failure{}}, "spool cache ls": {cacheEntry{}, cacheSummary{}},
		"spool doctor": {checkup.Checkup{}, checkup.Store{}},
	} {
		clitest.HasKeys(t, heading, objects...)
	}
	page := clitest.Sections(t)
	found, err := checkup.Examine(vips.Reads, "")
	require.NoError(t, err)
	for key := range found.Limits {
		assert.Contains(t, page["spool doctor"], "`"+key+"`")
	}
}

// The commands and flags in docs/surfaces.md exist. A flag after a command with members is one of all of them.
func TestSurfaces(t *testing.T) {
	page, err := os.ReadFile("../../docs/surfaces.md")
	require.NoError(t, err)
	root, spans := cli.Root(nil, commands...), 0
	for line := range strings.Lines(string(page)) {
		columns := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, span := range regexp.MustCompile("`spool (.*?)`").FindAllStringSubmatch(columns[len(columns)-1], -1) {
			spans++
			path, flags, _ := strings.Cut(span[1], " --")
			c, rest, err := root.Find(strings.Fields(path))
			require.NoError(t, err)
			require.Empty(t, rest, "%s: no command of this name", span[1])
			for flag := range strings.SplitSeq(flags, " --") {
				for _, leaf := range leaves(c) {
					assert.True(t, flag == "" || leaf.Flags().Lookup(flag) != nil, "%s has no --%s", leaf.CommandPath(), flag)
				}
			}
		}
	}
	assert.Greater(t, spans, 200)
}
