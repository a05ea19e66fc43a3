package av_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// countFrames decodes a file's best video.
func countFrames(ctx context.Context, path string) (frames int, err error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer c.Leave()
	in, err := av.Open(c, spool.File(path), av.InputOptions{})
	if err != nil {
		return 0, err
	}
	defer in.Close()
	stream := in.Best(av.Video, -1)
	in.Select(stream)
	p, err := in.Parameters(stream)
	if err != nil {
		return 0, err
	}
	decoder, err := av.NewDecoder(c, p, av.DecoderOptions{})
	if err != nil {
		return 0, err
	}
	defer decoder.Close()
	packet, err := av.NewPacket()
	if err != nil {
		return 0, err
	}
	defer packet.Release()
	frame, err := av.NewFrame()
	if err != nil {
		return 0, err
	}
	defer frame.Release()
	for ended := false; !ended; {
		next := packet
		if err := in.Read(c, packet); errors.Is(err, io.EOF) {
			next, ended = nil, true // then receive the frames that the decoder holds back
		} else if err != nil {
			return frames, err
		}
		if err := decoder.Send(c, next); err != nil {
			return frames, err
		}
		for {
			ok, err := decoder.Receive(c, frame)
			if err != nil {
				return frames, err
			}
			if !ok {
				break
			}
			frames++
		}
	}
	return frames, nil
}

func ExampleDecoder() {
	fmt.Println(countFrames(context.Background(), "../../testdata/video/bframes.mp4"))
	_, err := countFrames(context.Background(), "../../testdata/video/noindex.mp4")
	fmt.Println(errors.Is(err, spool.ErrCorrupt))
	// Output:
	// 25 <nil>
	// true
}
