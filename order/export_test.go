package order

// Philox is here for the known-answer test.
var Philox = philox
