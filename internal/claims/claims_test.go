package claims

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

const root = "../.."

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestClaims reads the real pages.
func TestClaims(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/claims.md"))
	require.NoError(t, err)
	all := claims(string(text))
	for _, name := range []string{"README.md", "SECURITY.md"} {
		t.Run(name, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			for _, wrong := range unproved(sentences(string(page)), all[name]) {
				t.Error(wrong)
			}
			for _, c := range all[name] {
				for _, e := range c.evidence {
					assert.NoError(t, checkEvidence(root, e), c.begins)
				}
			}
		})
	}
}

func TestSentences(t *testing.T) {
	assert.Equal(t, []string{
		"One sentence over two lines.", "Another, with a link and `code`:", "An item.", "Another item that goes on.",
		"cell | value",
	}, sentences("# Title\n\nOne sentence\nover two lines. Another, with [a link](x.md) and `code`:\n\n```sh\nnot. "+
		"This\n```\n"+
		"- An item.\n- Another item\n  that goes on.\n\n| head | er |\n|---|---|\n| cell | value |\n\n<!-- bench:begin "+
		"-->\nGenerated. Text.\n<!-- bench:end -->\n"))
}

func TestUnproved(t *testing.T) {
	table := claims("# Claims\n\n## README.md\n\n| sentence | evidence |\n|---|---|\n| It runs | a_test.go:TestA, " +
		"b.json |\n| It flies | c.go |\n")["README.md"]
	require.Equal(t, []claim{{"It runs", []string{"a_test.go:TestA", "b.json"}}, {"It flies", []string{"c.go"}}}, table)
	assert.Equal(t, []string{"no evidence for: It swims.", "no such sentence: It flies"},
		unproved([]string{"It runs fast.", "It swims."}, table))
}

func TestCheckEvidence(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": "func TestA(t *testing.T) {", "test_b.py": "def test_b(x):\n", "Makefile": "demo: deps\n",
		"result.json": "{}",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	for _, good := range []string{"a_test.go:TestA", "test_b.py:test_b", "Makefile:demo", "result.json",
		"none (an instruction)"} {
		assert.NoError(t, checkEvidence(root, good))
	}
	for _, bad := range []string{"a_test.go:Test", "test_b.py:test", "Makefile:dem", "missing.json", "none", "none ()",
		""} {
		assert.Error(t, checkEvidence(root, bad), bad)
	}
}
