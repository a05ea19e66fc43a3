package mutate

import "fmt"

func Example() {
	files := [][]byte{[]byte("a file of some format")}
	data, _ := Case(files, 1, 3)
	again, _ := Case(files, 1, 3)
	fmt.Println(string(data) == string(again))
	// Output: true
}
