package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// folder is the form of the name of a part.
var folder = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// setSplit sets the parts.
func (p *packing) setSplit(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(word, "=")
		share, err := strconv.ParseFloat(number, 64)
		if err != nil || !folder.MatchString(name) || slices.Contains(p.parts, name) {
			return fmt.Errorf("%q is not NAME=SHARE, with a name of its own for a folder", word)
		}
		p.parts, p.shares = append(p.parts, name), append(p.shares, share)
	}
	if _, err := pack.Split(source.Files(), p.shares); err != nil {
		return err
	}
	return nil
}

// good returns the samples without those that the ledger names.
func (p *packing) good(src source.Source, console *output.Console) (source.Source, error) {
	if p.ledger == "" {
		return src, nil
	}
	text, err := os.Open(p.ledger)
	if err != nil {
		return nil, spool.FileError("read", p.ledger, err)
	}
	defer text.Close()
	bad := map[string]bool{}
	for lines := json.NewDecoder(text); ; {
		var line struct {
			File *jsonname.Name `json:"file"`
		}
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && line.File == nil {
			err = errors.New("a line without file")
		}
		if err != nil {
			return nil, &spool.Error{Op: "read", File: p.ledger, Class: spool.ErrCorrupt, Text: "not a ledger", Err: err}
		}
		bad[string(*line.File)] = true
	}
	var ids []int
	for i := range src.Len() {
		if !bad[spool.Redacted(src.Item(i).Name)] {
			ids = append(ids, i)
		}
	}
	if n := src.Len() - len(ids); n > 0 {
		console.Line(fmt.Sprintf("spool: %d of %d samples are left out: %s names them", n, src.Len(), p.ledger))
	}
	return pack.Subset(src, ids), nil
}

// distinct returns the samples without those that --unique leaves out.
func (p *packing) distinct(ctx context.Context, src source.Source, console *output.Console) (source.Source, error) {
	if !p.unique {
		return src, nil
	}
	ids, err := pack.Unique(ctx, src, p.Members, p.Workers)
	if err != nil {
		return nil, err
	}
	if n := src.Len() - len(ids); n > 0 {
		console.Line(fmt.Sprintf("spool: %d of %d samples have the bytes of an earlier one and are left out", n, src.Len()))
	}
	return pack.Subset(src, ids), nil
}

// split packs each part into a folder of its own.
func (p *packing) split(ctx context.Context, src source.Source) error {
	parts, err := pack.Split(src, p.shares)
	if err != nil {
		return err
	}
	all := map[string]*pack.Manifest{}
	for i, name := range p.parts {
		m, err := pack.Write(ctx, pack.Subset(src, parts[i]), p.below(name), p.Options)
		if err != nil {
			return err
		}
		all[name] = m
		if p.json {
			continue
		}
		if _, err := fmt.Fprintf(p.stdout, "%s: ", name); err != nil {
			return err
		}
		if err := printManifest(p.stdout, m, false); err != nil {
			return err
		}
	}
	if !p.json {
		return nil
	}
	return output.JSON(p.stdout, all)
}

// below returns the folder or the URL of a part.
func (p *packing) below(name string) string {
	if p.Store.Known(p.out) {
		return strings.TrimRight(p.out, "/") + "/" + name
	}
	return filepath.Join(p.out, name)
}
