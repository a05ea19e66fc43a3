package mem

// ResetForTest resets the counters of a purpose to zero, after a test made them negative.
func ResetForTest(purpose Purpose) {
	blocks[purpose].Store(0)
	bytes[purpose].Store(0)
}
