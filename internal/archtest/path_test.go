package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxPath is the number of functions that take an image's bytes from source to consumer.
const maxPath = 12

var step = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\S+\\.go) \\|")

// TestPathOfAnImage checks that the functions that docs/ARCHITECTURE.md lists exist, each in the named file.
func TestPathOfAnImage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## The path of an image\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	steps := step.FindAllStringSubmatch(section, -1)
	assert.Len(t, steps, strings.Count(section, "\n| `"), "each row names a function and a file")
	assert.NotEmpty(t, steps)
	assert.LessOrEqual(t, len(steps), maxPath)
	for _, s := range steps {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, s[2]), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		assert.Contains(t, declared(f), s[1], s[2])
	}
}

// declared returns the functions of a file, as functionName does.
func declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, functionName(fn))
		}
	}
	return names
}

// functionName returns the name of a function. A method has the name of its type in front.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	for t := fn.Recv.List[0].Type; ; {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

func TestDeclared(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n\ntype T int\n\nfunc F() {}\n\nfunc (T) G() {}\n\n"+
		"func (t *T) H() {}\n", parser.SkipObjectResolution)
	require.NoError(t, err)
	assert.Equal(t, []string{"F", "T.G", "T.H"}, declared(f))
}
