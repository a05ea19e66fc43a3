package vips_test

import (
	"fmt"
	"os"

	floor "github.com/spoolmedia/spool/cbridge/floor/vips"
	"github.com/spoolmedia/spool/cbridge/vips"
)

func ExampleLoad() {
	data, err := os.ReadFile("../../vips/testdata/rgb8.tif")
	fmt.Println(err, floor.Load(vips.TIFF, data))
	fmt.Println(floor.Load(vips.TIFF, data[:len(data)/2]))
	// Output:
	// <nil> <nil>
	// decode: corrupt: bare load failed (libvips)
}
