package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/spoolmedia/spool"
	root   = "../.."
)

// pkg is a package of the module.
type pkg struct {
	path     string // within the module, "." for the root
	name     string
	doc      string // synopsis of the package comment
	files    []file
	examples int // that run
}

// file is a Go file of a package, whatever its build constraints.
type file struct {
	path    string
	test    bool
	comment string // the package comment, if it is in this file
	imports []string
	funcs   []string // of a test file: its functions
	skips   bool     // a test skips on an error, without internal/need
	reduced []string // of a test file: functions that start goroutines and check -short
}

// packages lists the module. It parses files itself, because go list reports the imports of only one platform and one
// set of tags.
func packages(t *testing.T) []pkg {
	t.Helper()
	if listed != nil {
		return listed
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=Dir,ImportPath,Name,Doc,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	list.Dir = root
	list.Env = append(os.Environ(), "CGO_ENABLED=1") // go list compiles nothing
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	var all []pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir, ImportPath, Name, Doc                                   string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			listed = all
			return all
		}
		require.NoError(t, err)
		made := pkg{path: within(p.ImportPath), name: p.Name, doc: p.Doc}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			f, examples := parse(t, filepath.Join(p.Dir, name))
			f.path = filepath.Join(made.path, name)
			made.files = append(made.files, f)
			made.examples += examples
		}
		all = append(all, made)
	}
}

// listed is what packages has found, for other tests.
var listed []pkg

// within returns an import path as a path within the module. Other paths stay unchanged.
func within(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func parse(t *testing.T, path string) (f file, examples int) {
	t.Helper()
	f.test = strings.HasSuffix(path, "_test.go")
	mode := parser.ImportsOnly | parser.ParseComments
	if f.test {
		mode = parser.ParseComments
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
	require.NoError(t, err)
	f.comment = syntax.Doc.Text()
	for _, spec := range syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		f.imports = append(f.imports, name)
	}
	if f.test {
		examples = runnable(syntax)
		f.funcs = functions(syntax)
		f.skips = skips(syntax)
		f.reduced = reduced(syntax)
	}
	return f, examples
}

// runnable counts the examples of a test file that have an output to check.
func runnable(syntax *ast.File) int {
	n := 0
	for _, e := range doc.Examples(syntax) {
		if e.Output != "" || e.EmptyOutput {
			n++
		}
	}
	return n
}

// functions lists the functions of a file, without methods.
func functions(syntax *ast.File) (names []string) {
	for _, d := range syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// skips reports whether a file calls t.Skip(err), or similar with more arguments.
func skips(syntax *ast.File) (found bool) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "Skip" && f.Sel.Name != "Skipf" {
			return true
		}
		if on, ok := f.X.(*ast.Ident); ok && on.Name == "need" {
			return true
		}
		for _, argument := range c.Args {
			name, ok := argument.(*ast.Ident)
			found = found || ok && name.Name == "err"
		}
		return true
	})
	return found
}

// reduced lists the functions of a file that start goroutines and check -short.
func reduced(syntax *ast.File) (names []string) {
	for _, d := range syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		concurrent, looks := false, false
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				concurrent = true
			case *ast.SelectorExpr:
				concurrent = concurrent || n.Sel.Name == "Go" // of sync.WaitGroup and similar types
				pkg, ok := n.X.(*ast.Ident)
				looks = looks || n.Sel.Name == "Short" || ok && pkg.Name == "short"
			}
			return true
		})
		if concurrent && looks {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// lineCounts returns the lengths of all Go, C and Python files in the tree, including our other modules.
func lineCounts(t *testing.T, root string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		built := path == filepath.Join(root, "bin") || path == filepath.Join(root, "python", "build")
		if e.IsDir() && path != root && (e.Name()[0] == '.' || e.Name() == "testdata" || built) {
			return fs.SkipDir // built files, such as headers of other projects, are not ours
		}
		switch filepath.Ext(path) {
		case ".go", ".c", ".h", ".py":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			counts[name] = bytes.Count(text, []byte("\n"))
			return err
		}
		return nil
	})
	require.NoError(t, err)
	return counts
}
