package mem

// ResetForTest forgets what is counted for a purpose, after a test drove it below zero.
func ResetForTest(purpose Purpose) {
	blocks[purpose].Store(0)
	bytes[purpose].Store(0)
}
