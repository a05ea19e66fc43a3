package lanetest

// Must returns the value of a call that an example makes. It panics if the call fails.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
