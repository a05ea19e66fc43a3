package order_test

import (
	"encoding/json"
	"testing"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/order"
)

// FuzzResume reads the marks of two ranks, as from a file. Accepted marks must give valid states, and shares within the
// epoch.
func FuzzResume(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"state":{"epoch":1,"position":90,"left":[[3,5],[80,81]]},"split":{"world":1,"run":0,"rest":0},"rank":0,"taken":4}]`,
		`[{"split":{"world":2,"run":8},"rank":1,"taken":40},{"split":{"world":2,"run":8},"rank":0,"taken":43}]`,
		`[{"split":{"world":2,"run":8,"rest":2},"rank":1,"taken":500},{"split":{"world":2,"run":8,"rest":2},"rank":0,"taken":500}]`,
		`[{"state":{"position":9223372036854775807}}]`, `[{"split":{"world":1048576,"run":1099511627776}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var marks []order.Mark
		if json.Unmarshal(data, &marks) != nil {
			return
		}
		fuzzed.Accept()
		for _, n := range []int{0, 1000, 1 << 40} {
			for _, split := range []order.Split{{}, {World: 2, Run: 8}, {World: 3, Run: 5, Rest: order.Drop}} {
				rank := max(1, split.World) - 1
				state, from, err := order.Resume(n, marks, split, rank)
				if err != nil {
					continue
				}
				if err := state.Validate(n); err != nil {
					t.Fatal(err)
				}
				share := state.Share(order.Sequential(n), split, rank)
				if from > share.Len() {
					t.Fatalf("goes on at %d of %d", from, share.Len())
				}
				for _, i := range []int{from, share.Len() - 1} {
					if i >= 0 && i < share.Len() {
						share.At(i)
					}
				}
			}
		}
	})
}
