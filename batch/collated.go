package batch

import "github.com/spoolmedia/spool"

// layout returns the layout of a batch of a group.
func (c *Collator) layout(g *group) (l layout) {
	if c.opts.Form == Padded {
		l = newLayout(c.padded(g), len(g.singles))
	} else {
		l = layout{fields: c.opts.Fields, size: make([]int, len(c.opts.Fields)), base: make([]int, len(c.opts.Fields))}
	}
	n := len(l.fields)
	l.shapes, l.starts, l.grids = make([][]spool.Shape, n), make([][]int, n), make([][][2]int, n)
	for f := range l.fields {
		switch {
		case c.opts.Patches.of(l.fields[f]):
			l.patch(f, g, c.opts.Patches)
			l.join(f)
		case c.opts.Fields[f].varies():
			for _, s := range g.singles {
				l.shapes[f] = append(l.shapes[f], s.shape(f))
			}
			if c.opts.Form == Ragged {
				l.join(f)
			}
		case c.opts.Form == Ragged:
			l.size[f], _ = l.fields[f].Sample.Bytes()
			l.append(f, len(g.singles)*l.size[f])
		}
	}
	return l
}

// patch sets the shapes and grids of a field of patches.
func (l *layout) patch(f int, g *group, p *Patches) {
	for _, s := range g.singles {
		own := s.layout.fields[f].Sample
		rows, columns, _ := p.grid(own)
		l.grids[f] = append(l.grids[f], [2]int{rows, columns})
		l.shapes[f] = append(l.shapes[f], p.shape(own))
	}
}

// join places an array of samples one after the other, which have the field's shapes.
func (l *layout) join(f int) {
	starts := make([]int, 1, len(l.shapes[f])+1)
	for i, shape := range l.shapes[f] {
		n, _ := spool.Desc{Shape: shape, DType: l.fields[f].Sample.DType}.Bytes()
		starts = append(starts, starts[i]+n)
	}
	l.starts[f] = starts
	l.append(f, starts[len(starts)-1])
}

// bytes returns the bytes that a sample takes in a joined batch, at most.
func (c *Collator) bytes(s *Single) int {
	if c.opts.Patches != nil {
		return s.layout.total * max(c.opts.Patches.Frames, 1)
	}
	return s.layout.total
}
