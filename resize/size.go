package resize

// Size returns the size of the canvas, if the spec alone determines it. It returns false if the size depends on the
// image, as with Shorter alone or with the zero Spec.
func (s Spec) Size() (width, height int, ok bool) {
	switch {
	case s.CropWidth > 0 && s.CropHeight > 0:
		return s.CropWidth, s.CropHeight, true
	case s.Width > 0 && s.Height > 0:
		return s.Width, s.Height, true
	case s.Box != (Rect{}) && !s.Resizes():
		return s.Box.Width, s.Box.Height, true
	}
	return 0, 0, false
}
