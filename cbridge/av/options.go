package av

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
)

// dictionary converts options to FFmpeg's type. The caller frees it.
func dictionary(options map[string]string) (*astiav.Dictionary, error) {
	d := astiav.NewDictionary()
	for key, value := range options {
		if strings.ContainsRune(key+value, 0) {
			d.Free()
			return nil, fmt.Errorf("%w: av: option %q has a zero byte", spool.ErrOptions, key)
		}
		if err := d.Set(key, value, 0); err != nil {
			d.Free()
			return nil, fmt.Errorf("%w: av: option %q: %w", spool.ErrOutOfMemory, key, err)
		}
	}
	return d, nil
}

// unused returns an error for options that were not used.
func unused(left *astiav.Dictionary, given map[string]string, who string) error {
	var names []string
	for key := range given {
		if left.Get(key, nil, 0) != nil {
			names = append(names, key)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("%w: av: %s has no option %s", spool.ErrOptions, who, strings.Join(names, ", "))
}
