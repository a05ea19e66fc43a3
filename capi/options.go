package main

import "C"

import "github.com/spoolmedia/spool/internal/settings"

// readOptions reads a JSON object of options, which define says and judge has the last word on.
func readOptions(json *C.char, define func(*settings.Set) (judge func())) error {
	var set settings.Set
	judge := define(&set)
	if text := C.GoString(json); text != "" {
		set.JSON([]byte(text))
	}
	judge()
	return set.Err()
}
