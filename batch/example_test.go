package batch_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// The example makes batches of two from three samples of four bytes. The second sample fails.
func Example() {
	pool, _ := spool.NewPool(spool.PoolOptions{})
	defer pool.Close()
	a, err := batch.NewAssembler(batch.AssemblerOptions{Size: 2, Pool: pool,
		Sample: spool.Desc{Shape: spool.Shape{2, 2, 1}, Layout: spool.HWC}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	var done []*batch.Batch
	for id := range int64(3) {
		slot, _ := a.Slot(context.Background(), 0)
		if id == 1 {
			a.Fail(slot)
			continue
		}
		copy(slot.Bytes(), []byte{byte(id), byte(id), byte(id), byte(id)})
		done = append(done, a.Add(slot, batch.Sample{ID: id, Label: -1})...)
	}
	for _, b := range append(done, a.Flush()...) {
		fmt.Println(b.Desc(), b.Bytes())
		b.Release()
	}
	// Output: uint8 NHWC [2 2 2 1] [0 0 0 0 2 2 2 2]
}
