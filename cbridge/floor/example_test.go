package floor_test

import (
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/floor"
)

func Example() {
	data, err := os.ReadFile("../jpeg/testdata/s420.jpg")
	pixels := make([]byte, 41*93*3)
	fmt.Println(err, floor.JPEG(data, pixels))
	fmt.Println(floor.PNG(data, pixels))
	// Output:
	// <nil> <nil>
	// decode: corrupt: bare decode failed (libpng)
}
