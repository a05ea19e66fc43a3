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
	library = module + "/capi" // that Python loads
)

// readers are packages whose tests read documents and sources of the whole tree.
var readers = []string{module + "/bench/readme", module + "/internal/archtest", module + "/internal/claims",
	module + "/internal/surfaces"}

// packages lists the module's packages, including test binaries, as reported by go list.
type packages []listed

type listed struct {
	ImportPath string
	Dir        string
	HFiles     []string
	Deps       []string // its dependencies, direct and indirect
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

// affected is the set of packages that a change affects.
type affected struct {
	changed  []string // packages with changed files
	tested   []string // and packages that depend on them, also only in tests
	compiled []string // packages that depend on them, and are only compiled
	uncached bool     // Go's test cache may be stale: a program that a test starts may read a changed file
}

// affected assigns each file to the package of the nearest folder above it. The root package has only its Go files and
// testdata. go.mod belongs to all packages, and documents and scripts belong to none. No package depends on the test
// files of another.
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
	changed, built := map[string]bool{}, map[string]bool{} // those that affect their importers, too
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
			a.uncached = a.uncached || path.Dir(file) != folder
		}
	}
	tested := map[string]bool{}
	for _, p := range all {
		name, _, variant := strings.Cut(p.ImportPath, " ")
		name = strings.TrimSuffix(name, ".test")
		if variant {
			continue // the test binary is listed by its package
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

// inside returns the path of a file below the root, in git's form.
func inside(root, name string) string {
	if below, err := filepath.Rel(root, name); err == nil {
		return filepath.ToSlash(below)
	}
	return name
}
