package coco

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonscan"
)

// place is where an annotation is.
type place struct {
	offset int64
	size   int32
}

// index is what is collected of a file.
type index struct {
	images     []Image
	categories []Category
	places     []place
	owners     []int64 // of each place: the image's id
	lists      [3]bool // which were found
}

// read reads a file.
func (x *index) read(s *stream) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if end, err := s.accept('}'); err != nil || end {
			return err
		}
		if n > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		if err := x.member(s); err != nil {
			return err
		}
	}
}

// member reads a member of the outermost object.
func (x *index) member(s *stream) error {
	if _, err := s.next(); err != nil {
		return err
	}
	at := s.offset()
	text, err := s.value()
	if err != nil {
		return err
	}
	name, err := jsonscan.New(text).String()
	if err != nil {
		return failed(spool.ErrCorrupt, "no name of a member at byte %d", at)
	}
	if err := s.expect(':'); err != nil {
		return err
	}
	if _, err := s.next(); err != nil {
		return err
	}
	list := slices.Index([]string{"images", "annotations", "categories"}, name)
	if list < 0 {
		return s.skip()
	}
	if x.lists[list] {
		return failed(spool.ErrCorrupt, "a second list of %s at byte %d", name, s.offset())
	}
	x.lists[list] = true
	return x.list(s, name, [...]func([]byte, int64) error{x.image, x.annotation, x.category}[list])
}

// list reads an array, and calls add for each element with its offset.
func (x *index) list(s *stream, name string, add func(data []byte, at int64) error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if end, err := s.accept(']'); err != nil || end {
			return err
		}
		if i > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		if _, err := s.next(); err != nil {
			return err
		}
		at := s.offset()
		data, err := s.value()
		if err != nil {
			return err
		}
		if err := add(data, at); err != nil {
			return inElement(name, i, at, err)
		}
	}
}

// inElement returns the error of an element, with its position in the file.
func inElement(list string, i int, at int64, err error) error {
	text := err.Error()
	if e, ok := errors.AsType[*jsonscan.Error](err); ok {
		at, text = at+int64(e.Offset), e.Text
		if e.Path != "" {
			text = e.Path + ": " + text
		}
	}
	return failed(spool.ErrCorrupt, "%s[%d]: %s, at byte %d", list, i, text, at)
}

func (x *index) image(data []byte, _ int64) error {
	var m Image
	identified := false
	err := object(data, func(s *jsonscan.Scanner, name string) (err error) {
		switch name {
		case "id":
			identified = true
			m.ID, err = s.Int()
		case "file_name":
			m.File, err = s.String()
		case "width":
			m.Width, err = side(s)
		case "height":
			m.Height, err = side(s)
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && (!identified || m.File == "") {
		err = errors.New(`no "id" or no "file_name"`)
	}
	x.images = append(x.images, m)
	return err
}

func side(s *jsonscan.Scanner) (int, error) {
	n, err := s.Int()
	return int(n), err
}

func (x *index) annotation(data []byte, at int64) error {
	id := member(data, "image_id")
	if id == nil {
		return errors.New(`not an object with "image_id"`)
	}
	image, err := jsonscan.New(id).Int()
	if err != nil {
		return fmt.Errorf("image_id is not an integer: %.40q", id)
	}
	x.places = append(x.places, place{at, int32(len(data))})
	x.owners = append(x.owners, image)
	return nil
}

func (x *index) category(data []byte, _ int64) error {
	var c Category
	identified := false
	err := object(data, func(s *jsonscan.Scanner, name string) (err error) {
		switch name {
		case "id":
			identified = true
			c.ID, err = s.Int()
		case "name":
			c.Name, err = s.String()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && !identified {
		err = errors.New(`no "id"`)
	}
	x.categories = append(x.categories, c)
	return err
}

// object reads an object in memory.
func object(data []byte, member func(s *jsonscan.Scanner, name string) error) error {
	s := jsonscan.New(data)
	if err := s.Object(func(name string) error { return member(s, name) }); err != nil {
		return err
	}
	return s.End()
}
