package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module  = "github.com/spoolmedia/spool"
	library = module + "/capi" // what Python loads
)

// readers are packages whose tests read documents and sources of the whole tree.
var readers = []string{module + "/bench/readme", module + "/internal/archtest", module + "/internal/claims"}

// packages is the module as go list tells it, the programs that test it included.
type packages []listed

type listed struct {
	ImportPath string
	Dir        string
	HFiles     []string
	Deps       []string // the packages that it is made of, at any depth
}

func list(ctx context.Context) (packages, error) {
	c := exec.CommandContext(ctx, "go", "list", "-e", "-test", "-json=ImportPath,Dir,HFiles,Deps", "./...")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all packages
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// affected is what a change reaches.
type affected struct {
	changed []string // packages that have a changed file
	tested  []string // and those that depend on them, if only for tests
	anew    bool     // Go's cache of results does not know: a file may be read by a program that a test starts
}

// affected finds the package of each file: that of the nearest folder above it. The root has its Go files and testdata;
// go.mod is of all packages, documents and scripts are of none. No package depends on the test files of another.
func (all packages) affected(root string, files []string) affected {
	folders, links := map[string]string{}, map[string][]string{}
	for _, p := range all {
		if strings.HasSuffix(p.ImportPath, ".test") || strings.Contains(p.ImportPath, " ") {
			continue
		}
		folders[inside(root, p.Dir)] = p.ImportPath
		for _, name := range p.HFiles {
			if header, err := filepath.EvalSymlinks(filepath.Join(p.Dir, name)); err == nil {
				links[inside(root, header)] = append(links[inside(root, header)], p.ImportPath)
			}
		}
	}
	var a affected
	changed, built := map[string]bool{}, map[string]bool{} // those whose users are affected, too
	for _, file := range files {
		for _, p := range links[file] {
			changed[p], built[p] = true, true
		}
		folder := path.Dir(file)
		for folder != "." && folders[folder] == "" {
			folder = path.Dir(folder)
		}
		switch {
		case file == "go.mod" || file == "go.sum":
			for _, p := range folders {
				changed[p], built[p] = true, true
			}
		case folder == "." && !strings.HasPrefix(file, "testdata/") && (path.Dir(file) != "." || path.Ext(file) != ".go"):
		default:
			changed[folders[folder]] = true
			built[folders[folder]] = built[folders[folder]] || !strings.HasSuffix(file, "_test.go")
			a.anew = a.anew || path.Dir(file) != folder
		}
	}
	tested := map[string]bool{}
	for _, p := range all {
		name, _, variant := strings.Cut(p.ImportPath, " ")
		name = strings.TrimSuffix(name, ".test")
		if variant {
			continue // the program has it
		}
		tested[name] = tested[name] || changed[name] || len(files) > 0 && slices.Contains(readers, name) ||
			slices.ContainsFunc(p.Deps, func(path string) bool {
				path, _, _ = strings.Cut(path, " ")
				return built[path]
			})
	}
	maps.DeleteFunc(tested, func(_ string, is bool) bool { return !is })
	a.changed = slices.Sorted(maps.Keys(changed))
	a.tested = slices.Sorted(maps.Keys(tested))
	return a
}

// inside is a path below the root as git writes it.
func inside(root, name string) string {
	if below, err := filepath.Rel(root, name); err == nil {
		return filepath.ToSlash(below)
	}
	return name
}
