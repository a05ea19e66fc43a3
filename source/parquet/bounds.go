package parquet

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool/source/table"
)

// Bounds returns the statistics of a column in a row group: of integers, floating-point numbers and text.
func (c *cells) Bounds(group int, column string) (least, greatest table.Cell, ok bool) {
	n := c.nodes[strings.ToLower(column)]
	if n == nil || n.leaf == nil || n.repeated {
		return table.Cell{}, table.Cell{}, false
	}
	s := &c.groups[group].Columns[n.leaf.index].MetaData.Statistics
	least, ok = n.leaf.bound(s.MinValue)
	if ok {
		greatest, ok = n.leaf.bound(s.MaxValue)
	}
	return least, greatest, ok
}

// bound returns a value of statistics. NaN is no bound.
func (l *leaf) bound(data []byte) (c table.Cell, ok bool) {
	c.Type = l.cellType()
	var x float64
	switch {
	case l.meaning == isText && len(data) > 0: // that of no text looks like none
		c.Data = data
		return c, true
	case l.meaning != isPlain || len(data) != l.size || l.size == 0:
		return c, false
	case l.kind == format.Int32:
		c.Data = strconv.AppendInt(nil, int64(int32(binary.LittleEndian.Uint32(data))), 10)
		return c, true
	case l.kind == format.Int64:
		c.Data = strconv.AppendInt(nil, int64(binary.LittleEndian.Uint64(data)), 10)
		return c, true
	case l.kind == format.Float:
		x = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case l.kind == format.Double:
		x = math.Float64frombits(binary.LittleEndian.Uint64(data))
	default:
		return c, false
	}
	c.Data = table.AppendNumber(nil, x, 64)
	return c, !math.IsNaN(x)
}
