package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// Output in the guides is what the command prints, except for numbers and omitted lines (...).
func TestGuides(t *testing.T) {
	data, err := filepath.Abs(clitest.Media)
	require.NoError(t, err)
	for _, guide := range []string{"failures.md", "tuning.md"} {
		page, err := os.ReadFile("../../docs/" + guide)
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllSubmatch(page, -1)
		require.NotEmpty(t, blocks, guide)
		for _, block := range blocks {
			t.Run(guide, func(t *testing.T) {
				folder := t.TempDir()
				require.NoError(t, os.Symlink(data, filepath.Join(folder, "testdata")))
				t.Chdir(folder)
				assert.Regexp(t, shown(string(block[1])), session(t, string(block[1])))
			})
		}
	}
}

// session runs the commands of a block, which follow $, and returns what a terminal would show.
func session(t *testing.T, block string) string {
	t.Helper()
	var screen bytes.Buffer
	for line := range strings.Lines(block) {
		typed, found := strings.CutPrefix(line, "$ ")
		if !found {
			continue
		}
		screen.WriteString(line)
		words := strings.Fields(typed)
		switch words[0] {
		case "spool":
			tool.Execute(t.Context(), words[1:], &screen, &screen)
		case "cat":
			text, err := os.ReadFile(words[1])
			require.NoError(t, err)
			screen.Write(text)
		default:
			t.Errorf("%s: no command of a guide", words[0])
		}
	}
	return screen.String()
}

// shown returns the expression for a block: any numbers, any columns, and any lines in place of omitted ones.
func shown(block string) string {
	text := regexp.QuoteMeta(block)
	text = regexp.MustCompile(`\d+(\\\.\d+)?`).ReplaceAllString(text, `\d+(\.\d+)?`)
	text = regexp.MustCompile(` +`).ReplaceAllString(text, ` +`)
	text = strings.ReplaceAll(text, `\.\.\.`+"\n", `(?:.*\n)*?`)
	return "^" + text + "$"
}
