package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ruleFor returns the rule for a package: the rule with its path, else the rule with the longest pattern, else nil.
func ruleFor(table []rule, path string) *rule {
	var found *rule
	for i := range table {
		switch r := &table[i]; {
		case r.path == path:
			return r
		case covers(r.path, path) && (found == nil || len(r.path) > len(found.path)):
			found = r
		}
	}
	return found
}

// covers reports whether a path, or a pattern like "cbridge/*" or "*", covers another one.
func covers(pattern, path string) bool {
	above, ok := strings.CutSuffix(pattern, "*")
	return pattern == path || ok && strings.HasPrefix(path, above)
}

// checkTable finds errors in the table itself.
func checkTable(table []rule) (wrong []string) {
	seen := map[string]bool{}
	for _, r := range table {
		if seen[r.path] {
			wrong = append(wrong, r.path+" has two rules")
		}
		seen[r.path] = true
		if r.why == "" {
			wrong = append(wrong, "the rule of "+r.path+" gives no reason")
		}
		if r.alone && (len(r.theirs) > 0 || !allAlone(table, r)) {
			wrong = append(wrong, r.path+" is marked alone, but has imports")
		}
		for _, path := range r.ours {
			if path != "*" && ruleFor(table, path) == nil {
				wrong = append(wrong, fmt.Sprintf("%s may import %s, which has no rule", r.path, path))
			}
		}
		below := reachable(table, r)
		for _, path := range slices.Sorted(maps.Keys(below)) {
			if path == r.path {
				wrong = append(wrong, r.path+" may import itself through other packages")
			}
			if r.pure && !below[path].pure {
				wrong = append(wrong, fmt.Sprintf("%s builds without cgo, but may import %s, which does not", r.path, path))
			}
		}
	}
	return wrong
}

// allAlone reports whether a package only leads to others that are alone.
func allAlone(table []rule, r rule) bool {
	if slices.Contains(r.ours, "*") {
		return false
	}
	for _, to := range reachable(table, r) {
		if !to.alone {
			return false
		}
	}
	return true
}

// reachable returns the rules that r leads to, by path. A rule that allows everything leads nowhere: such packages are
// at the top, and Go's own check for import cycles is enough for them.
func reachable(table []rule, r rule) map[string]rule {
	found := map[string]rule{}
	var follow func(rule)
	follow = func(r rule) {
		for _, path := range r.ours {
			if path == "*" {
				continue
			}
			to := ruleFor(table, path)
			for i := range table {
				next := &table[i]
				if _, ok := found[next.path]; !ok && (next == to || covers(path, next.path)) {
					found[next.path] = *next
					follow(*next)
				}
			}
		}
	}
	follow(r)
	return found
}

// checkImports finds imports that the table does not allow, and packages without a rule.
func checkImports(table []rule, packages []pkg) (wrong []string) {
	for _, p := range packages {
		r := ruleFor(table, p.path)
		if r == nil {
			wrong = append(wrong, p.path+" has no rule: add it to the table in internal/archtest, with its imports and the "+
				"reason")
			continue
		}
		for _, f := range p.files {
			for _, path := range f.imports {
				if why := refuse(table, *r, f, path); why != "" {
					wrong = append(wrong, fmt.Sprintf("%s imports %s: %s", f.path, path, why))
				}
			}
		}
	}
	return wrong
}

// refuse returns the reason why a file of a package with rule r must not import a path, or "".
func refuse(table []rule, r rule, f file, path string) string {
	if path == "C" {
		if r.calls {
			return ""
		}
		return "C is called below cbridge and in capi only, where the sanitizers run"
	}
	if inModule(module, path) {
		return refuseOurs(table, r, f, within(path))
	}
	domain, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(domain, "."): // the standard library
	case f.test && inModule("github.com/stretchr/testify", path):
	case !r.alone && strings.HasPrefix(path, "golang.org/x/"):
	case slices.ContainsFunc(r.theirs, func(m string) bool { return inModule(m, path) }):
	default:
		return "no module that " + r.path + " may use; " + r.why
	}
	return ""
}

func refuseOurs(table []rule, r rule, f file, path string) string {
	if f.test { // tests may import everything that can be built
		if to := ruleFor(table, path); r.pure && to != nil && !to.pure {
			return "the tests of " + r.path + " are built without cgo, too"
		}
		return ""
	}
	allowed := slices.ContainsFunc(r.ours, func(p string) bool { return covers(p, path) })
	if allowed || !r.alone && covers("internal/*", path) {
		return ""
	}
	return r.why
}

func inModule(module, path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// checkPromises finds packages below cbridge that do not say that they are for this module only. They are importable
// because packages of the module outside cbridge import them.
func checkPromises(packages []pkg) (wrong []string) {
	for _, p := range packages {
		promises := !slices.ContainsFunc(p.files, func(f file) bool {
			return strings.Contains(strings.Join(strings.Fields(f.comment), " "), "no compatibility promise")
		})
		if strings.HasPrefix(p.path, "cbridge/") && promises {
			wrong = append(wrong, p.path+" does not say that it makes no compatibility promise")
		}
	}
	return wrong
}

// checkDocs finds packages without a comment, and libraries without a tested example. Internal packages and commands
// need no example.
func checkDocs(packages []pkg) (wrong []string) {
	for _, p := range packages {
		if p.doc == "" {
			wrong = append(wrong, p.path+" has no package comment")
		}
		if p.examples == 0 && p.name != "main" && !strings.Contains("/"+p.path, "/internal/") {
			wrong = append(wrong, p.path+" has no Example with an Output")
		}
	}
	return wrong
}

// checkLeaks finds packages whose tests are not checked for leaks.
func checkLeaks(packages []pkg) (wrong []string) {
	const checker = "internal/leaktest"
	for _, p := range packages {
		tested, checked := false, p.path == checker // it tests itself
		for _, f := range p.files {
			tested = tested || f.test
			checked = checked || slices.Contains(f.funcs, "TestMain") && slices.Contains(f.imports, module+"/"+checker)
		}
		if tested && !checked {
			wrong = append(wrong, p.path+" has no TestMain that calls "+checker)
		}
	}
	return wrong
}

// checkSkips finds tests that skip without internal/need.
func checkSkips(packages []pkg) (wrong []string) {
	for _, p := range packages {
		for _, f := range p.files {
			if f.skips {
				wrong = append(wrong, f.path+" skips a test on an error: use internal/need")
			}
		}
	}
	return wrong
}

// checkReduced finds concurrency tests that -short reduces, in folders where make test runs the race detector only with
// -short.
func checkReduced(folders []string, packages []pkg) (wrong []string) {
	for _, p := range packages {
		if !slices.ContainsFunc(folders, func(folder string) bool { return inModule(folder, p.path) }) {
			continue
		}
		for _, f := range p.files {
			for _, name := range f.reduced {
				wrong = append(wrong, f.path+": "+name+" starts goroutines, and checks -short")
			}
		}
	}
	return wrong
}

// survived is the ledger's counts for one fuzz target.
type survived struct {
	Executions     int64 `json:"executions"`
	AsanExecutions int64 `json:"asan_executions"`
}

// checkFuzzing finds fuzz targets without an entry in the ledger, those that never ran under the address sanitizer, and
// entries without a target.
func checkFuzzing(packages []pkg, ledger map[string]survived) (wrong []string) {
	left := maps.Clone(ledger)
	for _, p := range packages {
		for _, f := range p.files {
			for _, name := range f.funcs {
				if !strings.HasPrefix(name, "Fuzz") {
					continue
				}
				key := module + "/" + p.path + "." + name
				delete(left, key)
				switch entry := ledger[key]; {
				case entry.Executions+entry.AsanExecutions == 0:
					wrong = append(wrong, key+" is not in the ledger: make fuzz")
				case entry.AsanExecutions == 0:
					wrong = append(wrong, key+" never ran under the address sanitizer: bin/tools/fuzz -asan")
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if strings.Contains(key, ".Fuzz") { // others are C targets
			wrong = append(wrong, key+" is in the ledger, and does not exist")
		}
	}
	return wrong
}

// checkLengths finds files over mostLines without a reason, and reasons that are not needed.
func checkLengths(lines map[string]int, long map[string]string) (wrong []string) {
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		if most := mostLines(path); lines[path] > most && long[path] == "" {
			wrong = append(wrong, fmt.Sprintf("%s has %d lines, more than %d: split it, or give the reason in internal/archtest",
				path, lines[path], most))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(long)) {
		if lines[path] <= mostLines(path) {
			wrong = append(wrong, fmt.Sprintf("%s is listed as long, but has %d lines", path, lines[path]))
		}
	}
	return wrong
}

// mostLines returns the length at which a file should be split.
func mostLines(path string) int {
	if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "python/tests/") {
		return maxTestLines
	}
	return maxLines
}

// checkFolders finds folders with more than maxFiles Go files, tests not counted.
func checkFolders(packages []pkg) (wrong []string) {
	for _, p := range packages {
		n := 0
		for _, f := range p.files {
			if !f.test {
				n++
			}
		}
		if n > maxFiles {
			wrong = append(wrong, fmt.Sprintf("%s has %d Go files, more than %d: split it", p.path, n, maxFiles))
		}
	}
	return wrong
}
