package order

// Philox is exported for the known-answer test.
var Philox = philox
