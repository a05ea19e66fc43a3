package spool_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
)

// The pool has room for two buffers. A third Get would wait for a Release.
func Example() {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 2 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	buffer, err := pool.GetFor(context.Background(), 640*480*3, spool.Pixels)
	if err != nil {
		fmt.Println(err)
		return
	}
	buffer.SetDesc(spool.Desc{Shape: spool.Shape{480, 640, 3}, DType: spool.Uint8, Layout: spool.HWC})
	fmt.Println(buffer.Desc())
	buffer.Release()
	fmt.Println(pool.Close())
	// Output:
	// uint8 HWC [480 640 3]
	// <nil>
}

// Programs distinguish errors by class, never by text.
func Example_errors() {
	decode := func(name string) error { // stands for any call that reads a file
		return &spool.Error{Op: "decode", File: name, Class: spool.ErrTruncated, Text: "61 of 375 rows"}
	}
	err := decode("cat.jpg")
	switch {
	case errors.Is(err, spool.ErrTruncated):
		fmt.Println("fetch it again:", err)
	case err != nil:
		fmt.Println(err)
	}
	// Output: fetch it again: decode cat.jpg: truncated: 61 of 375 rows
}
