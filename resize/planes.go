package resize

// Sampling describes how a plane samples an image, along the sides of the image as stored.
type Sampling struct {
	SubX, SubY int        // pixels for each sample: 1 or 2
	X, Y       Upsampling // how a decoder converts a sample to two pixels
	Block      int        // 1, or the plane is delivered smaller: each sample is the mean of Block x Block
}

// Upsampling selects how the pixels of a sample are computed, along one side.
type Upsampling uint8

const (
	Interpolated Upsampling = iota // 3/4 of the sample and 1/4 of the one adjacent to the pixel, as in libjpeg
	Repeated                       // both pixels equal the sample: swscale along rows, and see PlanesPlan.Interpolates
	Cubic                          // swscale's cubic over the four nearest samples, along columns of other video
)

// PlanePlan describes the resize of one plane of an image, as stored. The samples [Left, Left+Horizontal.In) and [Top,
// Top+Vertical.In) become the image of a Plan, neither upright nor flipped.
type PlanePlan struct {
	Left, Top            int
	Horizontal, Vertical *Axis
}

// PlanPlane plans the passes for a plane of an upright image of width x height pixels that is stored in an EXIF
// orientation, 1 to 8. Their result is that of Plan's passes over the plane, interpolated to the image's own size. With
// a Block of 1 it is exact, except for rounding. With larger blocks it is as good as the assumption that the samples of
// a block are on a line through the means of the adjacent blocks. Weights have 16 bits, and for 16-bit samples
// (Spec.Bits) a fraction of at most 15 bits. Errors are Plan's.
func (s Spec) PlanPlane(width, height, orientation int, sampling Sampling, tables *Tables) (PlanePlan, error) {
	x, y, box, err := s.place(width, height)
	if err != nil {
		return PlanePlan{}, err
	}
	stored := storage(orientation)
	subX, subY, upX, upY := sampling.SubX, sampling.SubY, sampling.X, sampling.Y
	if stored.transposed {
		subX, subY, upX, upY = subY, subX, upY, upX
	}
	x.grid = grid{sub: subX, block: sampling.Block, upsampling: upX, mirrored: stored.mirroredX, from: box.Left,
		whole: width}
	y.grid = grid{sub: subY, block: sampling.Block, upsampling: upY, mirrored: stored.mirroredY, from: box.Top,
		whole: height}
	if s.Bits == 16 {
		x.rounding, y.rounding = shortRounding, shortRounding
	}
	h, v := tables.get(x.span), tables.get(y.span)
	if stored.transposed {
		h, v = v, h
	}
	return PlanePlan{Left: h.first, Top: v.first, Horizontal: &h.axis, Vertical: &v.axis}, nil
}

// stored describes the axes of an upright image in the stored one.
type stored struct{ transposed, mirroredX, mirroredY bool }

func storage(orientation int) stored {
	return stored{
		transposed: orientation >= 5,
		mirroredX:  orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7,
		mirroredY:  orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8,
	}
}

// grid describes the samples of a plane along one side of an image.
type grid struct {
	sub, block  int
	upsampling  Upsampling
	mirrored    bool // the side is stored from its other end
	from, whole int  // the first pixel of the span's source, and the number of pixels of the side
}

// pixels returns the weights of a span, also if it only copies pixels.
func pixels(s span) *windows {
	if !s.identity() {
		return convolve(s, curves[s.filter])
	}
	w := newWindows(s, 1)
	for i := range s.out {
		w.weights = append(w.weights, 1)
		w.finish(i, int(s.lo)+i)
	}
	return w
}

// fold converts weights of pixels to weights of samples, in the order in which both outputs and samples are stored. It
// distributes a pixel's weight over the samples that the pixel is interpolated from.
func (g grid) fold(w *windows) *windows {
	s := w.span
	folded := newWindows(s, len(w.weights)/max(len(w.start), 1)+5)
	for n := range w.start {
		i := n
		if g.mirrored {
			i = len(w.start) - 1 - n
		}
		begin := 0
		if i > 0 {
			begin = w.end[i-1]
		}
		row := w.weights[begin:w.end[i]]
		at, step := g.from+w.start[i], 1 // position of the stored pixel
		if g.mirrored {
			at, step = g.whole-1-at, -1
		}
		first := max(min(at, at+step*(len(row)-1))/g.sub-2, 0) / g.block
		if g.block > 1 {
			first = max(first-1, 0)
		}
		to := samples{folded, g, first, len(folded.weights)}
		for _, weight := range row {
			for _, p := range g.upsample(at) {
				to.add(p.sample, weight*p.weight)
			}
			at += step
		}
		folded.finish(s.first+n, first)
	}
	return folded
}

// part is the weight of a sample in a pixel.
type part struct {
	sample int
	weight float64
}

// upsample returns the samples of a pixel. The last sample is repeated beyond the ends of the plane.
func (g grid) upsample(at int) []part {
	near, away := at/g.sub, at%2*2-1 // away points to the adjacent sample on the pixel's side
	weights := [...][]float64{Interpolated: {0.75, 0.25}, Repeated: {1}, Cubic: cubicQuarter}[g.upsampling]
	if g.sub == 1 {
		return []part{{near, 1}}
	}
	parts := make([]part, len(weights))
	for i, weight := range weights {
		parts[i] = part{min(max(near+away*[...]int{0, 1, -1, 2}[i], 0), (g.whole-1)/2), weight}
	}
	return parts
}

// cubicQuarter are the weights of a cubic with B = 0 and C = 0.6, swscale's default, 1/4, 3/4, 5/4 and 7/4 samples
// away.
var cubicQuarter = []float64{0.871875, 0.240625, -0.084375, -0.028125}

// samples collects the weights of one output.
type samples struct {
	*windows
	grid
	first, begin int // first sample, and index of its weight
}

// add adds a weight to a sample of the plane at full size. If the plane has means of blocks, the sample is assumed to
// be on a line whose slope from block to block is half of the difference between the two adjacent blocks.
func (s *samples) add(sample int, weight float64) {
	block := sample / s.block
	s.give(block, weight)
	if s.block > 1 {
		off := (float64(sample-block*s.block) - float64(s.block-1)/2) / float64(2*s.block)
		s.give(block+1, weight*off)
		s.give(block-1, -weight*off)
	}
}

// give adds to the weight of a block, or of the plane's first or last block if there is no such block.
func (s *samples) give(block int, weight float64) {
	last := (s.whole - 1) / s.sub / s.grid.block
	k := s.begin + min(max(block, 0), last) - s.first
	for k >= len(s.weights) {
		s.weights = append(s.weights, 0)
	}
	s.weights[k] += weight
}
