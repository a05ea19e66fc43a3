package baseline_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

func Example() {
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Leave()
	var engine baseline.Engine
	defer engine.Close()

	for _, name := range []string{"s420.jpg", "wide_progressive.jpg"} {
		data, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			fmt.Println(err)
			return
		}
		layout, reason := baseline.ReadLayout(data)
		if reason == baseline.Decoded {
			reason, err = engine.Planes(c, data, make([]byte, layout.Bytes()))
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, layout.Width, layout.Height, reason)
	}
	// Output:
	// s420.jpg 41 93 decoded
	// wide_progressive.jpg 170 45 decoded
}
