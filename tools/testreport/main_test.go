package main

import (
	"fmt"
	"os"
)

// Reports in the formats of gotestsum and pytest.
func Example() {
	if err := write(os.Stdout, []string{"testdata/asan.xml", "testdata/python.xml", "testdata/test.xml"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// asan             1 tests,    0 skipped
	// python           4 tests,    2 skipped
	// test             5 tests,    4 skipped
	//
	// 5 tests were skipped in every run:
	//   needs peers: no ray in this Python
	//       peers.test_ray
	//   needs stores: no server
	//       source/object TestS3
	//       tests.test_stores test_urls
	//   takes minutes
	//       source/object TestListing x 2
	//
	// seconds:
	//     31.5  test         source/object
	//      5.0  python       tests.test_stores
	//      2.2  asan         source/object
}
