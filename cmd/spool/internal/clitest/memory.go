package clitest

import (
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// Memory is what has to be free after the tests of a package, besides what leaktest knows.
var Memory = []leaktest.Count{{Name: "bytes of C memory", Now: mem.InUse}, {Name: "bytes in libvips", Now: vips.InUse}}
