package transfer_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/transfer"
)

// The same loop runs on every device; here on the host.
func Example() {
	device, err := transfer.Open("host", transfer.DeviceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(device)})
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
		b, err := copier.Copy(ctx, batch.FromBuffer(buffer, batch.Sample{ID: int64(i)}, 0, i))
		if err != nil {
			buffer.Release() // it still belongs to the caller
			fmt.Println(err)
			return
		}
		if err := b.Wait(ctx); err == nil { // or b.WaitOn(stream), without waiting here
			fmt.Println(b.Index, b.Arrays()[0].Bytes)
		}
		b.Release()
	}
	// Output:
	// 0 [0 1 2 3]
	// 1 [1 1 2 3]
}

// Images are decoded to uint8 and converted to floats on the device. Here the host does it, with the same result.
func ExampleNormalizer() {
	device, err := transfer.Open("host", transfer.DeviceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(device)})
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
	normalizer, err := transfer.NewNormalizer(copier,
		transfer.NormalizerOptions{DType: spool.Float32, Mean: []float32{0.5}, Std: []float32{0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	buffer, err := pool.Get(ctx, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	buffer.SetDesc(spool.Desc{Shape: spool.Shape{1, 2, 3}, Layout: spool.HWC})
	copy(buffer.Bytes(), []byte{0, 51, 102, 153, 204, 255})
	decoded := batch.FromBuffer(buffer, batch.Sample{}, 0, 0) // like a batch of a loader
	b, err := normalizer.Copy(ctx, decoded, []transfer.Flip{transfer.FlipX})
	if err != nil {
		decoded.Release() // it still belongs to the caller
		fmt.Println(err)
		return
	}
	defer b.Release()
	a := b.Arrays()[0]
	fmt.Println(a.Desc)
	for i := range 6 {
		fmt.Printf("%.1f ", math.Float32frombits(binary.NativeEndian.Uint32(a.Bytes[4*i:])))
	}
	// Output:
	// float32 NCHW [1 3 1 2]
	// 0.2 -1.0 0.6 -0.6 1.0 -0.2
}

// A machine without the requested device.
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
