// Package golden reads testdata/resize: the results of torchvision and Pillow for images that a test can generate.
// Images and cases use the terms of that folder's README.md. Each test translates them to the options of its package.
package golden
