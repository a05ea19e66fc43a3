package source

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spoolmedia/spool"
)

// archives opens members of tar files by the names that Shards gives them, FILE.tar/MEMBER. A tar file is scanned when the
// first of its members is opened.
type archives struct {
	wanted map[string]bool
	limit  int64

	mu   sync.Mutex
	open map[string]*archive
}

// archive is a tar file and where its members are, once ready.
type archive struct {
	mu     sync.Mutex
	ready  bool
	file   shardFile
	byName map[string]int
}

// inShard splits the name of a member of a tar file.
func inShard(name string) (file, member string, ok bool) {
	for at := 0; ; at++ {
		slash := strings.IndexByte(name[at:], '/')
		if slash < 0 {
			return "", "", false
		}
		if at += slash; isShard(name[:at]) {
			return name[:at], name[at+1:], true
		}
	}
}

// member opens a member of a tar file.
func (a *archives) member(ctx context.Context, file, member string) (Object, error) {
	x, err := a.scan(ctx, file)
	if err != nil {
		return nil, err
	}
	k, ok := x.byName[member]
	if !ok {
		return nil, &spool.Error{Op: "open", File: file + "/" + member, Class: spool.ErrNotFound, Text: fmt.Sprintf("%s has no such sample", file)}
	}
	return x.file.open(ctx, k)
}

// scan gives a tar file that was scanned. Who comes first scans it; where that fails, the next tries again.
func (a *archives) scan(ctx context.Context, file string) (*archive, error) {
	a.mu.Lock()
	x := a.open[file]
	if x == nil {
		x = &archive{file: shardFile{place: system{}, file: file, unpacked: newUnpacked(a.limit), bad: map[int]error{}}}
		a.open[file] = x
	}
	a.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ready {
		return x, nil
	}
	x.file.names, x.file.members = nil, nil
	if err := x.file.scan(ctx, a.wanted, &Skipped{Kinds: map[string]int{}}); err != nil {
		return nil, err
	}
	x.byName = make(map[string]int, x.file.len())
	for k := range x.file.len() {
		x.byName[x.file.name(k)] = k
	}
	x.ready = true
	return x, nil
}
