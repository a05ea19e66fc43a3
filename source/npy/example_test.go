package npy_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spoolmedia/spool/source/npy"
)

// An array of an archive that numpy.savez wrote, as Go numbers.
func Example() {
	ctx := context.Background()
	data, err := os.ReadFile("testdata/stored.npz")
	if err != nil {
		log.Fatal(err)
	}
	archive, err := npy.Open(ctx, memory(data), 1<<30) // the object has a method Bytes, so nothing is copied
	if err != nil {
		log.Fatal(err)
	}
	array, err := archive.Array(ctx, "fortran")
	if err != nil {
		log.Fatal(err)
	}
	numbers, err := npy.Values[int32](array)
	fmt.Println(archive.Names(), array.Type, array.Shape, numbers[:5], err)
	// Output: [f4 i8 fortran scalar empty i2_big] <i4 [2 3 4] [0 1 2 3 4] <nil>
}
