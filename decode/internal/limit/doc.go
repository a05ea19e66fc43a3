// Package limit checks the size and the dimensions of inputs, before memory is allocated for them.
package limit
