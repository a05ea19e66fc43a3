package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notPublic are the folders whose packages make no promise to users, or are no libraries.
var notPublic = []string{"bench", "capi", "cbridge", "cmd", "examples", "internal", "python", "testdata", "tools"}

// isPublic reports whether users import the package at a path within the module.
func isPublic(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(folder string) bool {
		return slices.Contains(notPublic, folder)
	})
}

// TestSignatures checks that exported declarations of public packages need no type that users cannot name or should
// not use.
func TestSignatures(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if !isPublic(p.path) {
			continue
		}
		seen++
		var files []*ast.File
		for _, f := range p.files {
			if f.test {
				continue
			}
			syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, syntax)
		}
		for _, w := range hidden(files) {
			t.Errorf("%s: %s", p.path, w)
		}
	}
	assert.Greater(t, seen, 30)
}

// signatures looks through the exported declarations of a package.
type signatures struct {
	unexported map[string]bool   // types of the package
	showing    map[string]bool   // of these, those with exported fields or methods
	imports    map[string]string // of the file: packages that are not public, by their name in the file
	wrong      []string
}

// hidden lists what exported declarations of a package mention although a user cannot, or should not, name it: types
// of packages that are not public, and unexported types of the package itself. An unexported type may be embedded if it
// has no exported fields and methods, as the Holder of an internal package has none.
func hidden(files []*ast.File) []string {
	s := signatures{unexported: map[string]bool{}, showing: map[string]bool{}}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.IsExported() {
					receiver, _, _ := strings.Cut(functionName(d), ".")
					s.showing[receiver] = true
				}
			case *ast.GenDecl:
				s.types(d)
			}
		}
	}
	for _, f := range files {
		s.imports = map[string]string{}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !inModule(module, imported) || isPublic(within(imported)) {
				continue
			}
			name := path.Base(imported)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			s.imports[name] = within(imported)
		}
		for _, d := range f.Decls {
			s.declaration(d)
		}
	}
	return s.wrong
}

// types notes the unexported types of a declaration.
func (s *signatures) types(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.Name.IsExported() {
			continue
		}
		s.unexported[t.Name.Name] = true
		switch of := t.Type.(type) {
		case *ast.StructType:
			for _, field := range of.Fields.List {
				if slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
					s.showing[t.Name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			if of.Sel.Name != "Holder" {
				s.showing[t.Name.Name] = true // what it has is not known here
			}
		}
	}
}

func (s *signatures) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || token.IsExported(functionName(d))) {
			s.expression(functionName(d), d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					s.parameters(spec.Name.Name, spec.TypeParams)
					s.expression(spec.Name.Name, spec.Type)
				}
			case *ast.ValueSpec:
				s.values(spec)
			}
		}
	}
}

// values looks at variables and constants. One without a type has that of its value, which must not come from a package
// that is not public.
func (s *signatures) values(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		switch {
		case !name.IsExported():
		case spec.Type != nil:
			s.expression(name.Name, spec.Type)
		case i < len(spec.Values):
			value := spec.Values[i]
			if call, ok := value.(*ast.CallExpr); ok {
				value = call.Fun
			}
			if literal, ok := value.(*ast.CompositeLit); ok {
				value = literal.Type
			}
			s.expression(name.Name, value)
		}
	}
}

// expression looks at a type, without the unexported fields and methods that it has.
func (s *signatures) expression(name string, e ast.Node) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			s.fields(name, n.Fields)
			return false
		case *ast.InterfaceType:
			s.fields(name, n.Methods)
			return false
		case *ast.FuncType:
			s.parameters(name, n.TypeParams)
			s.parameters(name, n.Params)
			s.parameters(name, n.Results)
			return false
		case *ast.SelectorExpr:
			if on, ok := n.X.(*ast.Ident); ok && s.imports[on.Name] != "" {
				s.wrong = append(s.wrong, fmt.Sprintf("%s mentions %s.%s of %s", name, on.Name, n.Sel.Name, s.imports[on.Name]))
			}
			return false
		case *ast.Ident:
			if s.unexported[n.Name] {
				s.wrong = append(s.wrong, fmt.Sprintf("%s mentions the unexported type %s", name, n.Name))
			}
		}
		return true
	})
}

// parameters looks at the types of parameters or results.
func (s *signatures) parameters(name string, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		s.expression(name, field.Type)
	}
}

// fields looks at the exported fields of a struct, or the exported methods of an interface. Both may be embedded.
func (s *signatures) fields(name string, list *ast.FieldList) {
	for _, field := range list.List {
		embedded := field.Type
		if pointer, ok := embedded.(*ast.StarExpr); ok {
			embedded = pointer.X
		}
		own, ok := embedded.(*ast.Ident)
		switch {
		case len(field.Names) == 0 && ok && s.unexported[own.Name] && !s.showing[own.Name]:
		case len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported):
			s.expression(name, field.Type)
		}
	}
}

func TestHidden(t *testing.T) {
	tests := []struct{ name, declaration, wrong string }{
		{"a function of public types", "func F(a order.State, n int) error", ""},
		{"an internal parameter", "func F(a ...*helper.Pool)", "F mentions helper.Pool of internal/helper"},
		{"an internal result", "func (t *T) F() map[string]helper.Pool", "T.F mentions helper.Pool of internal/helper"},
		{"an import with another name", "func F(func(native.Media))", "F mentions native.Media of cbridge/av"},
		{"unexported functions and methods", "func f(helper.Pool)\nfunc (x t) F(helper.Pool)\nfunc (t T) f(helper.Pool)", ""},
		{"an exported field", "type S struct { A, b helper.Pool }", "S mentions helper.Pool of internal/helper"},
		{"an unexported field", "type S struct { a helper.Pool; c t }", ""},
		{"an embedded type without exported members", "type S struct { *t }", ""},
		{"an embedded type with a method", "type S struct { *t }\nfunc (t) M() {}", "S mentions the unexported type t"},
		{"an embedded type with a field", "type u struct { A int }\ntype S struct { u }", "S mentions the unexported type u"},
		{"a holder", "type holder = helper.Holder\ntype S struct { holder }", ""},
		{"an alias of another type", "type held = helper.Pool\ntype S struct { held }",
			"S mentions the unexported type held"},
		{"a method of an interface", "type I interface { F(t) }", "I mentions the unexported type t"},
		{"an alias", "type A = helper.Pool", "A mentions helper.Pool of internal/helper"},
		{"a value", "var V = helper.New()", "V mentions helper.New of internal/helper"},
		{"a value of a public type", "var V error = helper.Err", ""},
		{"a type parameter of the same name", "func F[a any](a)", ""},
		{"a generic receiver", "func (g G[K]) F(t)", "G.F mentions the unexported type t"},
		{"a constraint", "func F[K t](K)", "F mentions the unexported type t"},
	}
	const head = `package a

import (
	native "github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/order"
)

type T struct{}
type t struct{}
type G[K any] struct{}

`
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := parser.ParseFile(token.NewFileSet(), "a.go", head+test.declaration, parser.SkipObjectResolution)
			require.NoError(t, err)
			assert.Equal(t, test.wrong, strings.Join(hidden([]*ast.File{f}), "\n"))
		})
	}
}
