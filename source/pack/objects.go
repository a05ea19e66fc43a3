package pack

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// objects is a destination: the objects of a store below a prefix, which ends with a slash.
type objects struct {
	store  source.Store
	prefix string
	shared bool
}

// shardName is the form of the names of shards.
var shardName = regexp.MustCompile(`^\d{6,}\.[a-z0-9_.-]+$`)

// begin discards parts of shards that ended processes have sent. A store has no locks: a process that still packs into
// these objects fails. Parts stay if the store does not list them, or not to this user.
func (o objects) begin(ctx context.Context) (end func(), err error) {
	if o.shared {
		return func() {}, nil
	}
	err = o.store.AbortUploads(ctx, o.prefix, func(url string) bool {
		return shardName.MatchString(strings.TrimPrefix(url, o.prefix))
	})
	if errors.Is(err, spool.ErrPermission) || errors.Is(err, spool.ErrUnsupported) {
		err = nil
	}
	return func() {}, err
}

func (o objects) names(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	for e, err := range o.store.List(ctx, o.prefix) {
		if err != nil {
			return nil, err
		}
		names[strings.TrimPrefix(e.URL, o.prefix)] = true
	}
	return names, nil
}

func (o objects) open(ctx context.Context, name string) (spool.Object, error) {
	return o.store.Open(ctx, source.Entry{URL: o.path(name)})
}

func (o objects) create(ctx context.Context, name string) (output, error) {
	u, err := o.store.Create(ctx, o.path(name))
	return upload{u}, err
}

func (o objects) path(name string) string { return o.prefix + name }

// upload is the output of a store.
type upload struct{ source.Upload }

func (u upload) finish() error {
	if err := u.Commit(); err != nil {
		u.Discard()
		return err
	}
	return nil
}

func (u upload) discard() { u.Discard() }
