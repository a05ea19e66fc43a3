//go:build !race

package main

import "testing"

func withoutRace(*testing.T) {}
