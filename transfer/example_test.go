package transfer_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/transfer"
)

// A loop that is the same on every device; here on the host.
func Example() {
	device, err := transfer.Open("host", transfer.DeviceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinned(device)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer copier.Close()

	ctx := context.Background()
	for i := range 2 {
		buffer, err := pool.Get(ctx, 4)
		if err != nil {
			fmt.Println(err)
			return
		}
		copy(buffer.Bytes(), []byte{byte(i), 1, 2, 3})
		b, err := copier.Copy(ctx, batch.Of(buffer, batch.Sample{ID: int64(i)}, 0, i))
		if err != nil {
			buffer.Release() // it is still ours
			fmt.Println(err)
			return
		}
		if err := b.Wait(ctx); err == nil { // or b.WaitOn(stream), and no wait here
			fmt.Println(b.Index, b.Arrays()[0].Bytes)
		}
		b.Release()
	}
	// Output:
	// 0 [0 1 2 3]
	// 1 [1 1 2 3]
}

// A machine without the device that is asked for.
func ExampleOpen() {
	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: "/nowhere/libcuda.so.1"})
	if errors.Is(err, spool.ErrDevice) {
		device, err = transfer.Open("host", transfer.DeviceOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	fmt.Println(device.Name())
	// Output: host
}
