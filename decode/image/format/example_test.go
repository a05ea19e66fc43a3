package format_test

import (
	"fmt"

	"github.com/spoolmedia/spool/decode/image/format"
)

func ExampleOf() {
	fmt.Println(format.Of([]byte("GIF89a")), format.Of([]byte("RIFF....WEBP")), format.Of([]byte("plain text")))
	// Output: gif webp unknown
}
