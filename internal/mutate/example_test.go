package mutate

import "fmt"

func Example() {
	files := [][]byte{[]byte("a file of some format")}
	data, _ := mutate(files, 1, 3)
	again, _ := mutate(files, 1, 3)
	fmt.Println(string(data) == string(again))
	// Output: true
}
