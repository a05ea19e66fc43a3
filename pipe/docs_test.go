package pipe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// Every block of code in a guide is the body of an example, or a declaration in its file.
func TestGuidesShowExamples(t *testing.T) {
	for guide, folders := range map[string][]string{"pipeline.md": {"."},
		"loader.md": {"../loader"}, "resume.md": {"../loader"},
		"transfer.md": {"../loader"}, "record-sources.md": {"../source", "../source/arrow"}} {
		var code strings.Builder
		for _, folder := range folders {
			files, err := filepath.Glob(folder + "/example*_test.go")
			require.NoError(t, err)
			for _, file := range files {
				code.WriteString(page(t, file))
			}
		}
		blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(page(t, "../docs/"+guide), -1)
		require.NotEmpty(t, blocks, guide)
		for _, block := range blocks {
			var body strings.Builder
			for line := range strings.Lines(block[1]) {
				if line != "\n" {
					line = "\t" + line
				}
				body.WriteString(line)
			}
			beside := strings.Contains(code.String(), "\n\n"+block[1])
			assert.True(t, beside || strings.Contains(code.String(), "() {\n"+body.String()+"\t// "),
				"%s: not the beginning of an example\n%s", guide, block[1])
		}
	}
}

// Every test that the page on SPDL names exists. Rows without a test give a reason.
func TestParityNamesTests(t *testing.T) {
	tests := map[string]bool{}
	for _, folder := range []string{".", "stats", "../order", "../source", "../source/npy", "../source/shard",
		"../decode", "../decode/image",
		"../decode/video", "../decode/audio", "../decode/packets", "../decode/graph", "../decode/device", "../decode/wav",
		"../decode/index", "../loader", "../batch",
		"..", "../encode", "../transfer", "../capi", "../cbridge/av", "../cbridge/av/fake", "../cbridge/cuda/kernels",
		"../cbridge/dlpack", "../cbridge/nvjpeg"} {
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file.Name(), "_test.go") {
				for _, name := range regexp.MustCompile(`func (Test\w+|Benchmark\w+|Example\w*)\(`).FindAllStringSubmatch(page(t,
					folder+"/"+file.Name()), -1) {
					tests[name[1]] = true
				}
			}
		}
	}
	rows := 0
	groups, _, _ := strings.Cut(page(t, "../docs/spdl-parity.md"), "\n## SPDL's examples\n")
	for line := range strings.Lines(groups) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what") {
			continue
		}
		rows++
		named := regexp.MustCompile("`((?:Test|Benchmark|Example)\\w*)`").FindAllStringSubmatch(line, -1)
		assert.True(t, len(named) > 0 || strings.Contains(line, "| open: ") || strings.Contains(line, "| not ours: "), line)
		for _, name := range named {
			assert.True(t, tests[name[1]], "no %s: %s", name[1], line)
		}
	}
	assert.Greater(t, rows, 40)
	for group := 1; group <= 34; group++ {
		heading := fmt.Sprintf("\n## %d ", group)
		if group >= 29 && group <= 31 { // all about processes
			heading = "\n## 29 to 31 "
		}
		assert.Contains(t, page(t, "../docs/spdl-parity.md"), heading, "SPDL has 34 groups")
	}
}
