package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/internal/need"
)

var defaults = regexp.MustCompile(`\(default .*\)`)

// Each command has a man page, which formatters and indexers take without a warning.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	folder := filepath.Join(t.TempDir(), "share", "man1") // which is created
	assert.Empty(t, tool.Done(t, "manual", folder))
	groff, lexgrog := need.Command(t, "groff"), need.Command(t, "lexgrog")
	said := func(name string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	pages, err := filepath.Glob(folder + "/*.1")
	require.NoError(t, err)
	for _, page := range pages {
		assert.Empty(t, said(groff, "-man", "-ww", "-z", "-Tutf8", "-rLL=78n", page))
		assert.Contains(t, said(lexgrog, page), `: "`+strings.TrimSuffix(filepath.Base(page), ".1")+" - ")
	}
	all := leaves(cli.Root(nil, commands...))
	assert.Greater(t, len(pages), len(all)) // and groups of commands
	for _, c := range all {
		page := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		shown := said(groff, "-man", "-Tascii", "-P-cbou", "-rLL=9999n", filepath.Join(folder, page))
		assert.Contains(t, shown, c.Short)
		assert.Contains(t, shown, "2023-11-14")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			assert.Contains(t, shown, strings.TrimSpace("--"+f.Name+" "+value), page)
			assert.Contains(t, shown, usage, page)
		})
		for _, value := range defaults.FindAllString(c.UsageString(), -1) {
			assert.Contains(t, shown, value, page)
		}
	}
}

// The page of the documentation has what help prints.
func TestHelpTexts(t *testing.T) {
	folder := t.TempDir()
	tool.Done(t, "manual", "--markdown", folder)
	page, err := os.ReadFile(filepath.Join(folder, "help.md"))
	require.NoError(t, err)
	for _, topic := range []string{"", "run images", "cache", "cache ls", "manual"} {
		words := strings.Fields(topic)
		assert.Contains(t, string(page), "```text\n"+tool.Done(t, append([]string{"help"}, words...)...)+"```\n", topic)
	}
	assert.NotContains(t, string(page), "## spool completion")
}

func TestManualIntoNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	tool.Refused(t, cli.ExitInput, []string{"spool: " + file + ": not-found: not a directory"}, "manual", file)
	tool.Refused(t, cli.ExitUsage, []string{"spool: usage: spool manual: missing argument: the folder to write to"},
		"manual")
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	tool.Refused(t, cli.ExitUsage, []string{"spool: usage: SOURCE_DATE_EPOCH=today: not a number of seconds"},
		"manual", t.TempDir())
}
