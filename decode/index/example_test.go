package index_test

import (
	"fmt"

	"github.com/spoolmedia/spool/decode/index"
)

// Frames are chosen by time, by sampling rules or by number, and planned together.
func Example() {
	packets := make([]index.Packet, 100) // a file with a key packet every second
	for i := range packets {
		packets[i] = index.Packet{PTS: int64(i), DTS: int64(i), Duration: 1, Pos: int64(i) * 1000, Size: 1000}
		if i%25 == 0 {
			packets[i].Flags = index.Key
		}
	}
	x, err := index.New(index.File{}, index.Stream{Base: index.Ratio{Num: 1, Den: 25}}, packets)
	if err != nil {
		panic(err)
	}
	shown, _ := x.At(3.01)
	first, n := x.Window(.5, .6)
	fmt.Println(shown, first, n, index.Even(x.Len(), 4))
	for _, run := range x.Plan([]int{shown, 60, 52}).Runs {
		fmt.Println(run)
	}
	// Output:
	// 75 13 2 [12 37 62 87]
	// {50 60 [52 60]}
	// {75 75 [75]}
}
