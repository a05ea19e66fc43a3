package cli

// Closing closes something, and keeps the first error.
func Closing(err *error, end func() error) {
	if failed := end(); *err == nil {
		*err = failed
	}
}
