package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/table"
)

// List lists the files that a text file names, one per line, in its order.
//
// A line is a path, optionally followed by a tab and a label: an integer from 0 up, or -1 for none, which is the
// default. Lines end in \n or \r\n, blank lines are skipped, and there are no comments and no quotes. Relative paths
// start at the working directory, as in xargs. If the first of them is not found there but exists in the list's folder,
// all of them start at that folder.
//
// The list may be a pipe, so that a shell's <(find ...) works. A line that names no file is ErrCorrupt, reported with
// its number.
func List(ctx context.Context, file string) (*Listing, error) {
	l, err := newLister(ctx, Options{})
	if err != nil {
		return nil, err
	}
	if err := l.list(file); err != nil {
		return nil, err
	}
	return l.listing()
}

// list adds the files that a list names.
func (l *lister) list(file string) error {
	if l.refuses(file) {
		return nil
	}
	if l.roots != nil && !l.roots.files() {
		l.problems.add(noRecords(file))
		return nil
	}
	r, closed, err := l.reader(file)
	if err != nil {
		if ended := ended(l.ctx, "list", file); ended != nil {
			return ended
		}
		l.problems.add(err)
		return nil
	}
	defer closed()
	l.start(group{fsys: l.opts.fileSystem()})
	from := base{list: file, opts: l.opts}
	n := 0
	err = parseList(r, func(line int, name string, label int64, err error) {
		n++
		if err != nil {
			l.problems.add(&spool.Error{Op: "list", File: spool.Redacted(file), Class: spool.ErrCorrupt,
				Text: fmt.Sprintf("line %d: %v", line, err), Err: err})
			return
		}
		name = from.resolve(name)
		l.noteRemote(name)
		l.add(name, label)
	})
	if ended := ended(l.ctx, "list", file); ended != nil {
		return ended
	}
	if err != nil {
		l.problems.add(spool.FileError("list", file, err))
	} else if n == 0 {
		l.problems.add(&spool.Error{Op: "list", File: spool.Redacted(file), Class: spool.ErrEmpty,
			Text: "no path in this list"})
	}
	return nil
}

// reader opens a list.
func (l *lister) reader(file string) (r io.Reader, closed func(), err error) {
	if l.opts.isRemote(file) {
		data, err := l.text(file)
		return bytes.NewReader(data), func() {}, err
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // as spool.File does; allows pipes
	if err != nil {
		return nil, nil, spool.FileError("list", file, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, spool.FileError("list", file, err)
	}
	if mode := info.Mode(); !mode.IsRegular() && mode&fs.ModeNamedPipe == 0 {
		f.Close()
		return nil, nil, spool.NotRegular("list", file, mode)
	}
	// The writer of a pipe may be slow. Regular files have no deadlines and need none.
	stop := context.AfterFunc(l.ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	return f, func() { stop(); f.Close() }, nil
}

// maxText bounds the memory of a list: about a hundred million names.
const maxText = 16 << 30

// text reads a remote list as a whole: lists are small compared with what they name.
func (l *lister) text(url string) ([]byte, error) {
	o, err := l.opts.Remote.Open(l.ctx, Entry{URL: url})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return spool.ReadAll(l.ctx, o, nil, maxText)
}

// base is the folder at which the relative paths of a list start. Those of a remote list start at the list's prefix.
type base struct {
	list    string
	opts    Options
	decided bool
	folder  string
}

func (b *base) resolve(name string) string {
	if path.IsAbs(name) || b.opts.isRemote(name) {
		return name
	}
	if b.opts.isRemote(b.list) {
		return b.list[:strings.LastIndexByte(b.list, '/')+1] + name
	}
	if !b.decided {
		b.decided = true
		dir := path.Dir(b.list)
		if !exists(name) && exists(files.Join(dir, name)) {
			b.folder = dir
		}
	}
	return files.Join(b.folder, name)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

var (
	errLongLine = errors.New("more than 65536 bytes: is this a list of paths?")
	errNUL      = errors.New("a zero byte: is this a list of paths?")
)

// parseList calls line for each line that is not blank, with its number from 1, and its path and label or its error. It
// returns the error of r.
func parseList(r io.Reader, line func(number int, name string, label int64, err error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<16)
	number := 0
	for lines.Scan() {
		text := lines.Text()
		if number++; number == 1 {
			text = strings.TrimPrefix(text, "\uFEFF") // a byte order mark, which some editors write
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		name, label, err := parseLine(text)
		line(number, name, label, err)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		line(number+1, "", 0, errLongLine)
		return nil
	}
	return lines.Err()
}

func parseLine(text string) (name string, label int64, err error) {
	name, label = text, -1
	if tab := strings.LastIndexByte(text, '\t'); tab >= 0 {
		name = text[:tab]
		if label, err = parseLabel(text[tab+1:]); err != nil {
			return "", 0, err
		}
	}
	switch {
	case strings.IndexByte(name, 0) >= 0:
		return "", 0, errNUL
	case name == "":
		return "", 0, table.ErrNoPath
	}
	return name, label, nil
}

// parseLabel reads a label.
func parseLabel(text string) (int64, error) {
	label, err := strconv.ParseInt(text, 10, 64)
	if err != nil || label < -1 {
		return 0, fmt.Errorf("the label %.20q is no integer from 0 up", text)
	}
	return label, nil
}
