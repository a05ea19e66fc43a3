package shard

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool"
)

// pieceBytes is how much memory is allocated at a time while the size of the data is unknown.
const pieceBytes = 4 << 20

// pieces is data of unknown length, in memory of an allocator, to which free returns it.
type pieces struct {
	memory spool.Allocator
	blocks [][]byte
}

// readAll reads all of r. It never takes more memory than the data, or limit, and one piece. Longer data is ErrTooLarge
// as soon as the limit is passed.
func readAll(r io.Reader, limit int64, memory spool.Allocator) (data []byte, err error) {
	p := pieces{memory: memory}
	defer func() { err = errors.Join(err, p.free()) }()
	n, err := p.fill(r, limit)
	if err != nil {
		return nil, err
	}
	return p.join(n)
}

// fill reads to the end, and returns the number of bytes.
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

// join copies all blocks into one, and frees each after it is copied: memory that is not yet written costs nothing.
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
