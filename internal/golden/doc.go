// Package golden reads testdata/resize: what torchvision and Pillow make of pictures that a test can
// generate. It holds the pictures and the cases, in the words of that folder's README.md, and leaves it to the
// tests to say what they mean in the words of their package.
package golden
