package decode

import "github.com/spoolmedia/spool"

// refuseJP2 refuses a page of TIFF whose strips or tiles are JPEG 2000. libvips would decode them with libopenjp2 as it
// decodes files in JPEG 2000, with neither its limits nor ours.
func refuseJP2(data []byte, page int) error {
	t, ok := tiffPage(data, page)
	for i := uint64(0); ok && i < t.count; i++ {
		e, whole := t.entry(i)
		if !whole {
			break
		}
		if e.tag != tiffCompression {
			continue
		}
		values, _ := t.values(e)
		for n, more := t.next(&values, e.kind); more; n, more = t.next(&values, e.kind) {
			switch n {
			case 33003, 33004, 33005, 34712:
				return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "JPEG 2000 in TIFF"}
			}
		}
	}
	return nil
}
