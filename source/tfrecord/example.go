package tfrecord

import (
	"encoding/binary"

	"github.com/spoolmedia/spool/source/internal/held"
)

// kind is the type of a feature, by its field number in tf.train.Feature.
type kind uint8

const (
	none kind = iota
	bytesKind
	floatKind
	intKind
)

// feature is a feature of a record: its name, and where the message of its list is.
type feature struct {
	name     string
	kind     kind
	at, size int64
}

// Wire types of protocol buffers.
const (
	varintType = 0
	longType   = 1
	bytesType  = 2
	shortType  = 5
)

// maxName is the most bytes of a feature's name.
const maxName = 1 << 12

// message is a protocol buffer within a file, while it is read.
type message struct {
	in      *held.Window
	at, end int64
}

// more reports whether there are fields left.
func (m *message) more() bool { return m.at < m.end }

func (m *message) varint() (uint64, error) {
	p, err := m.in.Read(m.at, min(binary.MaxVarintLen64, m.end-m.at))
	if err != nil {
		return 0, err
	}
	v, n := binary.Uvarint(p)
	if n <= 0 {
		return 0, corrupt("no tf.train.Example at byte %d", m.at)
	}
	m.at += int64(n)
	return v, nil
}

// next returns the number of the next field, its wire type, and of text, binary and messages where they are. Other
// values are skipped.
func (m *message) next() (number uint64, wire int, value message, err error) {
	tag, err := m.varint()
	if err != nil {
		return 0, 0, value, err
	}
	number, wire = tag>>3, int(tag&7)
	value = message{m.in, m.at, m.at}
	switch wire {
	case varintType:
		_, err = m.varint()
	case longType:
		m.at += 8
	case shortType:
		m.at += 4
	case bytesType:
		var n uint64
		if n, err = m.varint(); err != nil {
			return 0, 0, value, err
		}
		if n > uint64(m.end-m.at) {
			return 0, 0, value, corrupt("no tf.train.Example: a value beyond its record at byte %d", m.at)
		}
		value.at = m.at
		m.at += int64(n)
	default:
		return 0, 0, value, corrupt("no tf.train.Example at byte %d", m.at)
	}
	value.end = m.at
	if err == nil && m.at > m.end {
		err = corrupt("no tf.train.Example: a value beyond its record at byte %d", m.end)
	}
	return number, wire, value, err
}

// inner calls each for the messages, text and binary values with a field number.
func (m message) inner(number uint64, each func(message) error) error {
	for m.more() {
		n, wire, value, err := m.next()
		if err == nil && n == number && wire == bytesType {
			err = each(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// features calls each for the features of a tf.train.Example.
func (m message) features(each func(feature) error) error {
	return m.inner(1, func(features message) error {
		return features.inner(1, func(entry message) error {
			f, err := entry.feature()
			if err != nil {
				return err
			}
			return each(f)
		})
	})
}

// feature reads an entry of the map of features.
func (m message) feature() (f feature, err error) {
	for m.more() {
		number, wire, value, err := m.next()
		switch {
		case err != nil:
			return f, err
		case wire != bytesType:
		case number == 1:
			if value.end-value.at > maxName {
				return f, corrupt("a feature's name of %d bytes", value.end-value.at)
			}
			name, err := m.in.Read(value.at, value.end-value.at)
			if err != nil {
				return f, err
			}
			f.name = string(name)
		case number == 2:
			for value.more() {
				number, wire, list, err := value.next()
				if err != nil {
					return f, err
				}
				if wire == bytesType && number >= uint64(bytesKind) && number <= uint64(intKind) {
					f.kind, f.at, f.size = kind(number), list.at, list.end-list.at
				}
			}
		}
	}
	return f, nil
}
