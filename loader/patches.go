package loader

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/record"
)

// validateSides adds the image fields whose results are not known to consist of whole patches.
func (f Form) validateSides(s record.Schema, bad *invalid.Options) {
	side := f.patches().Side()
	for _, field := range s {
		k, ok := field.Kind.(record.Image)
		if !ok || side <= 0 {
			continue
		}
		snap := k.Spec.Resize.Snap.Multiple
		width, height, fixed := k.Spec.Resize.Size()
		if fixed && width%side == 0 && height%side == 0 || !fixed && snap > 0 && snap%side == 0 {
			continue
		}
		bad.Add(&record.FieldError{Field: field.Name, Err: &spool.OptionError{
			Options: invalid.Named("Snap.Multiple", "Width", "Height"),
			Text:    fmt.Sprintf("patches need sides that are multiples of %d", side)}})
	}
}
