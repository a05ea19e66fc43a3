package shard

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool"
)

// pieceBytes is how much memory is taken at a time while it is not known how much there will be.
const pieceBytes = 4 << 20

// pieces is data of unknown length, in memory that goes back to where it came from.
type pieces struct {
	memory spool.Allocator
	blocks [][]byte
}

// gather reads all of r in memory that is never more than the data, or limit, and a piece. What is longer is ErrTooLarge as
// soon as limit is passed.
func gather(r io.Reader, limit int64, memory spool.Allocator) (data []byte, err error) {
	p := pieces{memory: memory}
	defer func() { err = errors.Join(err, p.free()) }()
	n, err := p.fill(r, limit)
	if err != nil {
		return nil, err
	}
	return p.join(n)
}

// fill reads to the end, and says how much that is.
func (p *pieces) fill(r io.Reader, limit int64) (n int64, err error) {
	for {
		block, err := p.memory.Alloc(pieceBytes)
		if err != nil {
			return n, err
		}
		p.blocks = append(p.blocks, block)
		for at := 0; at < len(block); {
			k, err := r.Read(block[at:])
			at, n = at+k, n+int64(k)
			switch {
			case n > limit:
				return n, failed("read", spool.ErrTooLarge, "more than %d bytes when decompressed, the limit for a shard", limit)
			case errors.Is(err, io.EOF):
				return n, nil
			case err != nil:
				return n, err
			}
		}
	}
}

// join makes one of all, and frees each when it is copied: pages of memory that is yet to be written to cost nothing.
func (p *pieces) join(n int64) ([]byte, error) {
	data := make([]byte, 0, n)
	for len(p.blocks) > 0 {
		block := p.blocks[0]
		data = append(data, block[:min(n-int64(len(data)), pieceBytes)]...)
		p.blocks = p.blocks[1:]
		if err := p.memory.Free(block); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (p *pieces) free() error {
	var problems []error
	for _, block := range p.blocks {
		problems = append(problems, p.memory.Free(block))
	}
	p.blocks = nil
	return errors.Join(problems...)
}
