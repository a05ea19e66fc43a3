package main

import (
	"errors"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/spoolmedia/spool"

// inner are the folders whose packages are not public.
var inner = []string{"bench", "capi", "cbridge", "cmd", "docs", "internal", "python", "testdata", "tools"}

// goPackage is a public package.
type goPackage struct {
	path    string // within the module; "spool" for the root
	name    string
	symbols []symbol // sorted by name
}

// symbol is an exported name of a package. Constants of a type belong to the type. Other constants and variables of one
// block are one symbol, with the name of the first.
type symbol struct {
	name   string
	others []string // constants of the type, or the rest of the block
}

// packages reads the public packages below a folder. Modules of their own are left out.
func packages(root string) (all []goPackage, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if path != root {
			_, missing := os.Stat(filepath.Join(path, "go.mod"))
			if missing == nil || slices.Contains(inner, entry.Name()) || strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
		}
		symbols, name, err := exported(path)
		if err != nil || len(symbols) == 0 {
			return err
		}
		within, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		within = filepath.ToSlash(within)
		if within == "." {
			within = name
		}
		all = append(all, goPackage{within, name, symbols})
		return nil
	})
	return all, err
}

// exported returns the exported names of the package in a folder, and its own; none if there is no package.
func exported(folder string) (all []symbol, name string, err error) {
	context := build.Default
	context.CgoEnabled = true
	found, err := context.ImportDir(folder, 0)
	if none := (*build.NoGoError)(nil); errors.As(err, &none) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(found.GoFiles, found.CgoFiles) {
		file, err := parser.ParseFile(set, filepath.Join(folder, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, "", err
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, module)
	if err != nil {
		return nil, "", err
	}
	functions := slices.Clone(p.Funcs)
	for _, block := range slices.Concat(p.Consts, p.Vars) {
		all = append(all, ofBlock(block))
	}
	for _, t := range p.Types {
		s := symbol{name: t.Name}
		for _, block := range slices.Concat(t.Consts, t.Vars) {
			b := ofBlock(block)
			s.others = append(append(s.others, b.name), b.others...)
		}
		all = append(all, s)
		functions = append(functions, t.Funcs...)
	}
	for _, f := range functions {
		all = append(all, symbol{name: f.Name})
	}
	slices.SortFunc(all, func(a, b symbol) int { return strings.Compare(a.name, b.name) })
	return all, p.Name, nil
}

// ofBlock returns the exported names of a declaration of constants or variables.
func ofBlock(v *doc.Value) symbol {
	names := slices.DeleteFunc(slices.Clone(v.Names), func(name string) bool { return !token.IsExported(name) })
	return symbol{names[0], names[1:]}
}
