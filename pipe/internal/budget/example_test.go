package budget_test

import (
	"context"
	"fmt"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/budget"
)

func Example() {
	bytes := budget.New(100)
	lease, err := bytes.Get(context.Background(), 90)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.InUse(), "in use")

	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = bytes.Get(soon, 20)
	fmt.Println("20 more:", err)

	lease.Release()
	fmt.Println(bytes.InUse(), "in use")
	// Output:
	// 90 in use
	// 20 more: context deadline exceeded
	// 0 in use
}
