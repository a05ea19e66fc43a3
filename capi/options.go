package main

import "C"

import "github.com/spoolmedia/spool/internal/settings"

// readOptions parses a JSON object of options. define defines them, and judge checks them once all are read.
func readOptions(json *C.char, define func(*settings.Set) (judge func())) error {
	var set settings.Set
	judge := define(&set)
	if text := C.GoString(json); text != "" {
		set.JSON([]byte(text))
	}
	judge()
	return set.Err()
}
