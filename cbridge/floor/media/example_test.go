package media_test

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/floor/media"
)

func Example() {
	fmt.Println(media.Video("../../../testdata/video/bframes.mp4", true))
	_, err := media.Audio("../../../testdata/photos")
	fmt.Println(errors.Is(err, spool.ErrCorrupt))
	// Output:
	// 25 <nil>
	// true
}
