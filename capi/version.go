package main

// #include <stdlib.h>
import "C"

import "github.com/spoolmedia/spool/internal/checkup"

// version is never freed.
var version = C.CString(checkup.Commit())

//export goVersion
func goVersion() *C.char { return version }
