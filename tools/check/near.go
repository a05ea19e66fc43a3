package main

import (
	"slices"
	"strings"
)

// wide is how many packages a change may reach before it is tested in the near ones only.
const wide = 40

// composes is the package whose tests run the packages that have C together.
const composes = module + "/loader"

// near limits the tests of a change that reaches more than most packages, as one to the root package does. It keeps
// the packages without C, which build and run in seconds, the changed ones, and loader. The others are only compiled.
func (all packages) near(a affected, most int) affected {
	if len(a.tested) <= most {
		return a
	}
	native := map[string]bool{} // packages that link C, also only in tests
	for _, p := range all {
		name, _, _ := strings.Cut(p.ImportPath, " ")
		name = strings.TrimSuffix(name, ".test")
		native[name] = native[name] || isNative(name) || slices.ContainsFunc(p.Deps, isNative)
	}
	var kept []string
	for _, name := range a.tested {
		changed := slices.Contains(a.changed, name) && len(a.changed) <= most
		if changed || name == composes || !native[name] {
			kept = append(kept, name)
		} else {
			a.compiled = append(a.compiled, name)
		}
	}
	a.tested = kept
	return a
}

func isNative(name string) bool { return strings.HasPrefix(name, module+"/cbridge/") }
