package resize

// Sampling says how a plane of a picture samples it, along the sides of the picture as it is stored.
type Sampling struct {
	SubX, SubY int        // pixels to a sample: 1 or 2
	X, Y       Upsampling // how a decoder makes two pixels of a sample
	Block      int        // 1, or the plane comes smaller: each sample is the mean of Block x Block
}

// Upsampling says what the pixels of a sample are, along one side.
type Upsampling uint8

const (
	Interpolated Upsampling = iota // three parts of the sample and one of the one next to the pixel, as libjpeg has it
	Repeated                       // both are the sample: swscale's way with video (kernel.PlanesPlan.Interpolates), along rows
	Cubic                          // the cubic of swscale over the four nearest samples: its other way
)

// PlanePlan is the work for one plane of a picture, as it is stored: the samples [Left, Left+Horizontal.In)
// and [Top, Top+Vertical.In) become the picture of a Plan, neither turned upright nor flipped.
type PlanePlan struct {
	Left, Top            int
	Horizontal, Vertical *Axis
}

// PlanPlane plans the passes for a plane of a picture of width x height pixels, upright, that is stored in an
// EXIF orientation, 1 to 8. What they give is what Plan's passes would, of a plane that had been brought to the
// picture's own size by interpolation: exactly, but for rounding, where Block is 1, and otherwise as far as
// the samples of a block lie on a line through the means of the blocks beside it. Weights have 16 bits, and for
// samples of 16 (Spec.Bits) a fraction of 15 at most. Errors are Plan's.
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
	x.grid = grid{sub: subX, block: sampling.Block, upsampling: upX, mirrored: stored.mirroredX, from: box.Left, whole: width}
	y.grid = grid{sub: subY, block: sampling.Block, upsampling: upY, mirrored: stored.mirroredY, from: box.Top, whole: height}
	if s.Bits == 16 {
		x.rounding, y.rounding = shortRounding, shortRounding
	}
	h, v := tables.get(x.span), tables.get(y.span)
	if stored.transposed {
		h, v = v, h
	}
	return PlanePlan{Left: h.first, Top: v.first, Horizontal: &h.axis, Vertical: &v.axis}, nil
}

// stored is how the axes of an upright picture lie in the stored one.
type stored struct{ transposed, mirroredX, mirroredY bool }

func storage(orientation int) stored {
	return stored{
		transposed: orientation >= 5,
		mirroredX:  orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7,
		mirroredY:  orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8,
	}
}

// grid is the samples of a plane along one side of a picture.
type grid struct {
	sub, block  int
	upsampling  Upsampling
	mirrored    bool // the side is stored from its other end
	from, whole int  // the span's source begins with this pixel of so many
}

// pixels are the weights of a span, also where it only copies pixels.
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

// fold turns weights of pixels into those of samples, in the order in which both outputs and samples are stored:
// what a pixel is interpolated from has its part of the pixel's weight.
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
		at, step := g.from+w.start[i], 1 // of the stored pixels
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

// part is what a sample has of a pixel.
type part struct {
	sample int
	weight float64
}

// upsample says what a pixel is made of. Beyond the ends of the plane its last sample goes on.
func (g grid) upsample(at int) []part {
	near, away := at/g.sub, at%2*2-1 // to the neighbour that lies beside the pixel
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

// cubicQuarter are the weights of a cubic with B = 0 and C = 0.6, swscale's default, 1/4, 3/4, 5/4 and 7/4 samples away.
var cubicQuarter = []float64{0.871875, 0.240625, -0.084375, -0.028125}

// samples gathers the weights of one output.
type samples struct {
	*windows
	grid
	first, begin int // sample, and its weight
}

// add gives a sample of the plane at full size some weight. One that came with others as their mean is taken to
// lie on a line, which rises from block to block by half of what those on both sides differ by.
func (s *samples) add(sample int, weight float64) {
	block := sample / s.block
	s.give(block, weight)
	if s.block > 1 {
		off := (float64(sample-block*s.block) - float64(s.block-1)/2) / float64(2*s.block)
		s.give(block+1, weight*off)
		s.give(block-1, -weight*off)
	}
}

// give adds to the weight of a block, or of the plane's last one where there is none.
func (s *samples) give(block int, weight float64) {
	last := (s.whole - 1) / s.sub / s.grid.block
	k := s.begin + min(max(block, 0), last) - s.first
	for k >= len(s.weights) {
		s.weights = append(s.weights, 0)
	}
	s.weights[k] += weight
}
