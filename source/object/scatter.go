package object

// scatter is memory for consecutive bytes of an object, in several pieces.
type scatter [][]byte

func (s scatter) size() (n int64) {
	for _, p := range s {
		n += int64(len(p))
	}
	return n
}

// from drops the first n bytes. It shares the memory.
func (s scatter) from(n int64) scatter {
	for len(s) > 0 && n >= int64(len(s[0])) {
		n -= int64(len(s[0]))
		s = s[1:]
	}
	if n == 0 || len(s) == 0 {
		return s
	}
	rest := append(scatter{s[0][n:]}, s[1:]...)
	return rest
}

// to drops all but the first n bytes.
func (s scatter) to(n int64) (first scatter) {
	for _, p := range s {
		if n < int64(len(p)) {
			p = p[:n]
		}
		if len(p) > 0 {
			first = append(first, p)
			n -= int64(len(p))
		}
	}
	return first
}
