// Package lanetest is the common part of the tests of all image lanes. It has their files and references, calls and
// sinks to decode with, and one suite that checks what every lane guarantees.
//
// An image lane is a package below cbridge that decodes the images of one library. Its tests describe it by a Lane and
// run the suite. They also test what is specific to the lane.
package lanetest
