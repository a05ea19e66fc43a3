// Package jpegfile finds markers, Exif data and the orientation in JPEG files. It decodes no pixels. Data are lent.
package jpegfile
