package cli

// Closing closes something where an error may be under way already: the first one counts.
func Closing(err *error, end func() error) {
	if failed := end(); *err == nil {
		*err = failed
	}
}
