package output

import (
	"encoding/json"
	"io"
)

// JSON writes an object on one line.
func JSON(w io.Writer, object any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(object)
}
