package container

import (
	"encoding/json"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
)

// Ratio converts a ratio to that of an index.
func Ratio(r av.Ratio) index.Ratio { return index.Ratio{Num: int32(r.Num), Den: int32(r.Den)} }

// MarshalParameters encodes parameters for an index.
func MarshalParameters(p av.Parameters) ([]byte, error) { return json.Marshal(p) }

// UnmarshalParameters decodes the parameters of an index. The error is ErrCorrupt.
func UnmarshalParameters(data []byte) (p av.Parameters, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, &spool.Error{Op: "index", Class: spool.ErrCorrupt, Text: "parameters: " + err.Error()}
	}
	return p, nil
}

// PacketsOf converts the packets that were read to those of the index.
func PacketsOf(entries []av.Entry) []index.Packet {
	packets := make([]index.Packet, len(entries))
	for i, e := range entries {
		packets[i] = index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Pos: e.Pos, Size: e.Size, Flags: FlagsOf(e)}
	}
	if n := len(packets); n > 0 && packets[n-1].Flags&index.Damaged != 0 {
		packets[n-1].Flags |= index.Hidden // the file is cut within it: frames end before it
	}
	return packets
}

// FlagsOf are the flags of a packet in an index.
func FlagsOf(e av.Entry) (flags index.Flags) {
	for _, f := range [...]struct {
		set  bool
		flag index.Flags
	}{
		{e.Key && !e.Refresh, index.Key}, {e.Discard, index.Discard}, {e.Corrupt, index.Damaged},
		{e.Disposable && !e.Corrupt, index.Disposable}, // after damage, more than this packet may be lost
		{e.Hidden, index.Hidden}, {e.Second, index.Field},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}
