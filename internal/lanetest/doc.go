// Package lanetest is what the tests of all lanes of pictures have in common: their files and references, calls and sinks
// to decode with, and one suite that holds every lane to the same promises.
//
// A lane of pictures is a package below cbridge that decodes the pictures of a library. Its tests describe it by a Lane and
// run the suite; what is special about the lane, its own tests say.
package lanetest
