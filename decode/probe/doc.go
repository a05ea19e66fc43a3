// Package probe finds out what an object holds, by its content, without decoding it.
//
// [Probe] reads an image into memory, under the limits; of video and audio it reads only the bytes that the container's
// index needs. image.Probe does the same for images only, without linking FFmpeg. [Libraries] lists the libraries.
package probe
