package clitest

import (
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// Memory counts what must be freed by the tests of a package, in addition to the counts of leaktest.
var Memory = []leaktest.Count{{Name: "bytes of C memory", Now: mem.InUse}, {Name: "bytes in libvips", Now: vips.InUse}}
