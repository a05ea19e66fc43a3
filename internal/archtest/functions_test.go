package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// maxFunction is the length in lines that nine of ten functions must stay below.
	maxFunction = 40
	// manyFunctions is the number of functions of a package from which its own share counts, too.
	manyFunctions = 30
)

// TestFunctions checks the lengths of functions, tests not counted: of the whole tree, and of each package with many.
func TestFunctions(t *testing.T) {
	var all []int
	for _, p := range packages(t) {
		var lengths []int
		for _, f := range p.files {
			if f.test {
				continue
			}
			positions := token.NewFileSet()
			syntax, err := parser.ParseFile(positions, filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			lengths = append(lengths, functionLengths(positions, syntax)...)
		}
		all = append(all, lengths...)
		if len(lengths) >= manyFunctions {
			assert.Less(t, ninthTenth(lengths), maxFunction, p.path)
		}
	}
	require.Greater(t, len(all), 1000)
	assert.Less(t, ninthTenth(all), maxFunction)
}

// functionLengths returns the lines of each function of a file.
func functionLengths(positions *token.FileSet, syntax *ast.File) (lengths []int) {
	for _, d := range syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			lengths = append(lengths, positions.Position(f.End()).Line-positions.Position(f.Pos()).Line+1)
		}
	}
	return lengths
}

// ninthTenth returns the length that nine of ten functions do not exceed.
func ninthTenth(lengths []int) int {
	return slices.Sorted(slices.Values(lengths))[len(lengths)*9/10]
}

func TestFunctionLengths(t *testing.T) {
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, "a.go", "package a\n\nfunc F() {}\n\ntype T int\n\n"+
		"func (T) G() {\n\n}\n", 0)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 3}, functionLengths(positions, syntax))
	assert.Equal(t, 9, ninthTenth([]int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}))
	assert.Equal(t, 4, ninthTenth([]int{4}))
}
