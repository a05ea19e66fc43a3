// Package pixels plans the kernels' pass from the rows of an image or frame to the result, in one call.
package pixels
