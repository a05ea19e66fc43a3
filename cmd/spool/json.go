package main

import (
	"encoding/json"
	"io"
)

// writeJSON writes an object in one line.
func writeJSON(w io.Writer, object any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(object)
}
