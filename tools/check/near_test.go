package main

import (
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	const (
		root   = module
		pipe   = module + "/pipe"
		kernel = module + "/cbridge/kernel"
		image  = module + "/decode/image"
	)
	all := packages{
		{ImportPath: root}, {ImportPath: pipe, Deps: []string{root}},
		{ImportPath: pipe + ".test", Deps: []string{root, pipe + " [" + pipe + ".test]", "testing"}},
		{ImportPath: kernel, Deps: []string{root}},
		{ImportPath: image, Deps: []string{root, kernel}},
		{ImportPath: composes, Deps: []string{root, kernel, image}},
		{ImportPath: module + "/batch", Deps: []string{root}},
		{ImportPath: module + "/batch.test", Deps: []string{root, module + "/batch", kernel}},
	}
	reached := []string{root, module + "/batch", kernel, image, composes, pipe}

	for _, c := range []struct {
		name             string
		changed          []string
		most             int
		tested, compiled []string
	}{
		{"few packages", []string{root}, 6, reached, nil},
		{"many", []string{root}, 5, []string{root, composes, pipe}, []string{module + "/batch", kernel, image}},
		{"a changed one has C", []string{root, image}, 5, []string{root, image, composes, pipe},
			[]string{module + "/batch", kernel}},
		{"all are changed", reached, 5, []string{root, composes, pipe}, []string{module + "/batch", kernel, image}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := all.near(affected{changed: c.changed, tested: reached}, c.most)
			if !slices.Equal(got.tested, c.tested) || !slices.Equal(got.compiled, c.compiled) {
				t.Errorf("tested %q, compiled %q", got.tested, got.compiled)
			}
		})
	}
}
