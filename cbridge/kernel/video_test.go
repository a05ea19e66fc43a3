package kernel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// footage is a video frame in planes, and the plan for it.
type footage struct {
	plan    kernel.PlanesPlan
	y, u, v raster[uint16] // as in memory
}

var matrices = map[kernel.Matrix][2]float64{ // H.273: the weights of red and blue
	{}: {0.299, 0.114}, kernel.BT601: {0.299, 0.114}, kernel.BT709: {0.2126, 0.0722}, kernel.BT2020: {0.2627, 0.0593},
	kernel.FCC: {0.3, 0.11}, kernel.SMPTE240M: {0.212, 0.087}, {Kr: 0.25, Kb: 0.25}: {0.25, 0.25},
}

// swscaleCoefficients are ff_yuv2rgb_coeffs of libswscale/yuv2rgb.c: V to red, U to blue, U and V to green.
var swscaleCoefficients = map[kernel.Matrix][4]int{
	{}: {104597, 132201, 25675, 53279}, kernel.BT601: {104597, 132201, 25675, 53279},
	kernel.BT709:  {117489, 138438, 13975, 34925},
	kernel.BT2020: {110013, 140363, 12277, 42626}, kernel.FCC: {104448, 132798, 24759, 53109},
	kernel.SMPTE240M: {117579, 136230, 16907, 35559},
}

// truncates reports whether swscale has a special, truncating conversion for the frame.
func (f *footage) truncates() bool {
	p := f.plan
	return p.Chroma != nil && p.Video.Bits <= 8 && p.Video.Chroma == kernel.Separate && p.SubX == 2 && p.SubY <= 2 &&
		p.Height%2 == 0
}

// truncating is swscale's special conversion of a pixel (libswscale/x86/yuv_2_rgb.asm), in the same integers.
func truncating(v kernel.Video, y, u, w uint8) (rgb [3]float64) {
	coefficient := func(x int) int { return (x<<13 + 1<<15) >> 16 }
	c := swscaleCoefficients[v.Matrix]
	luma, zero := 255*65536/219, 16<<3
	if v.Full {
		luma, zero = 65536, 0
		for i := range c {
			c[i] = c[i] * 224 / 255
		}
	}
	product := func(sample uint8, zero, x int) int { return (int(sample)<<3 - zero) * coefficient(x) >> 16 }
	light := product(y, zero, luma)
	for i, sum := range []int{product(w, 1024, c[0]), product(u, 1024, -c[2]) + product(w, 1024, -c[3]),
		product(u, 1024, c[1])} {
		rgb[i] = float64(min(max(light+sum, 0), 255))
	}
	return rgb
}

func randomVideo(r *rand.Rand) kernel.Video {
	v := kernel.Video{Full: r.IntN(2) == 0, Bits: pick(r, 0, 8, 9, 10, 12, 16), Chroma: kernel.Chroma(r.IntN(3))}
	v.Matrix = pick(r, kernel.Matrix{}, kernel.BT601, kernel.BT709, kernel.BT2020, kernel.FCC, kernel.SMPTE240M,
		kernel.Matrix{Kr: 0.25, Kb: 0.25})
	if v.Bits > 8 {
		v.High, v.Deep = r.IntN(2) == 0, r.IntN(2) == 0
	}
	return v
}

// randomFootage returns a frame with random properties that is resized.
func randomFootage(r *rand.Rand, limit int) footage {
	width, height, outWidth, outHeight := extent(r, limit), extent(r, limit/2), extent(r, 60), extent(r, 60)
	f := footage{plan: kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: randomVideo(r), Width: width, Height: height,
		SubX: 1 + r.IntN(2), SubY: 1 + r.IntN(2)}}
	axis := func(in, out int) kernel.Axis {
		if in == out {
			return kernel.Axis{In: in, Out: out}
		}
		return pick(r, makeAxis, makeShortAxis)(in, out, bilinear)
	}
	if r.IntN(5) == 0 {
		outWidth, outHeight = width, height
	}
	area := func(w, h int) *kernel.PlaneArea {
		left, top := r.IntN(w)*r.IntN(2), r.IntN(h)*r.IntN(2)
		return &kernel.PlaneArea{Left: left, Top: top, H: axis(w-left, outWidth), V: axis(h-top, outHeight)}
	}
	f.plan.Luma = area(width, height)
	if r.IntN(5) == 0 {
		f.plan.SubX, f.plan.SubY, f.plan.Video.Chroma = 1, 1, kernel.Separate
	} else {
		f.plan.Chroma = area(f.chroma())
	}
	if _, ok := swscaleCoefficients[f.plan.Video.Matrix]; f.truncates() && !ok {
		f.plan.Video.Matrix = kernel.BT2020
	}
	f.fill(r)
	return f
}

func (f *footage) chroma() (width, height int) {
	return (f.plan.Width + f.plan.SubX - 1) / f.plan.SubX, (f.plan.Height + f.plan.SubY - 1) / f.plan.SubY
}

// fill fills the planes. In words all bits are used, sometimes also those beyond the depth.
func (f *footage) fill(r *rand.Rand) {
	mask := uint16(1)<<max(f.plan.Video.Bits, 8) - 1
	if f.plan.Video.Bits > 8 && (f.plan.Video.High || !f.plan.Video.Deep && r.IntN(4) == 0) {
		mask = 0xffff
	}
	plane := func(w, h int) raster[uint16] {
		return each(w, h, 1, func(_, _ int, out []uint16) { out[0] = uint16(r.Uint32()) & mask })
	}
	f.y = plane(f.plan.Width, f.plan.Height)
	w, h := f.chroma()
	f.u, f.v = plane(w, h), plane(w, h)
}

// prepared returns a sample as the passes take it.
func (f *footage) prepared(word uint16) uint16 {
	v := f.plan.Video
	bits := max(v.Bits, 8)
	switch {
	case bits == 8 || v.Deep && v.High:
		return word
	case v.Deep:
		return word << (16 - bits)
	case v.High:
		bits = 16
	}
	return uint16(min((int(word)+1<<(bits-9))>>(bits-8), 255))
}

// resized returns the resized area.
func resized[S sample](f *footage, plane raster[uint16], a *kernel.PlaneArea) raster[S] {
	part := each(a.H.In, a.V.In, 1, func(x, y int, out []S) { out[0] = S(f.prepared(plane.at(a.Left+x, a.Top+y)[0])) })
	if kernel.VerticalFirst(a) {
		return part.vertical(&a.V).horizontal(&a.H)
	}
	return part.horizontal(&a.H).vertical(&a.V)
}

// ideal returns the rows in real arithmetic, with planes resized in samples of S, or in swscale's arithmetic.
func ideal[S sample](f *footage) []float64 {
	v := f.plan.Video
	parts := matrices[v.Matrix]
	kr, kb := parts[0], parts[1]
	kg := 1 - kr - kb
	top, unit := float64(^S(0)), float64(int(^S(0))+1)/256
	white, zero, lumaRange, chromaRange := 255*unit, 16*unit, 219*unit, 224*unit
	if v.Full {
		zero, lumaRange, chromaRange = 0, white, white
	}
	y := resized[S](f, f.y, f.plan.Luma)
	var out []float64
	if f.plan.Chroma == nil {
		for _, luma := range y.pixels {
			value := (float64(luma) - zero) / lumaRange
			out = append(out, min(max(value*white, 0), top))
		}
		return out
	}
	u, w := resized[S](f, f.u, f.plan.Chroma), resized[S](f, f.v, f.plan.Chroma)
	if p := f.plan; !v.Full && !v.Deep && p.SubX*p.SubY > 1 && p.Width%2 == 0 {
		zero += 1.78 * 219 / 255 // swscale's result is darker
	}
	for i := range y.pixels {
		if f.truncates() {
			rgb := truncating(v, uint8(y.pixels[i]), uint8(u.pixels[i]), uint8(w.pixels[i]))
			out = append(out, rgb[:]...)
			continue
		}
		luma, half := (float64(y.pixels[i])-zero)/lumaRange, 128*unit
		cb, cr := (float64(u.pixels[i])-half)/chromaRange, (float64(w.pixels[i])-half)/chromaRange
		red, blue := luma+2*(1-kr)*cr, luma+2*(1-kb)*cb
		green := (luma - kr*red - kb*blue) / kg
		for _, c := range []float64{red, green, blue} {
			out = append(out, min(max(c*white, 0), top))
		}
	}
	return out
}

// band returns n rows of luma from y on, with gaps between the rows.
func (f *footage) band(y, n, gap int) kernel.Band {
	video := f.plan.Video
	put := func(out []byte, word uint16) []byte {
		if video.Bits > 8 {
			return binary.NativeEndian.AppendUint16(out, word)
		}
		return append(out, byte(word))
	}
	rows := func(from, n int, planes ...raster[uint16]) (out []byte, stride int) {
		for row := from; row < from+n; row++ {
			if row > from {
				out = append(out, make([]byte, gap)...)
			}
			before := len(out)
			for x := range planes[0].width {
				for _, p := range planes {
					out = put(out, p.at(x, row)[0])
				}
			}
			stride = len(out) - before + gap
		}
		return out, min(stride, len(out)) // the stride of a single row does not matter
	}
	b := kernel.Band{Rows: n}
	b.Y, b.StrideY = rows(y, n, f.y)
	if f.plan.Chroma == nil {
		return b
	}
	y, n = y/f.plan.SubY, (n+f.plan.SubY-1)/f.plan.SubY
	switch video.Chroma {
	case kernel.PairsUV:
		b.U, b.StrideUV = rows(y, n, f.u, f.v)
	case kernel.PairsVU:
		b.U, b.StrideUV = rows(y, n, f.v, f.u)
	default:
		b.U, b.StrideUV = rows(y, n, f.u)
		b.V, _ = rows(y, n, f.v)
	}
	return b
}

// push pushes the frame in bands of random sizes, or as a whole.
func (f *footage) push(t testing.TB, r *rand.Rand, s *kernel.Planes) {
	t.Helper()
	whole, gap := r.IntN(3) == 0, r.IntN(40)*2
	first, last := s.Wanted()
	for y := first; y < last; {
		n := min((1+r.IntN(20))*f.plan.SubY, last-y)
		if whole {
			n = last - y
		}
		enough, err := s.Push(f.band(y, n, gap))
		require.NoError(t, err)
		y += n
		require.Equal(t, y == last, enough, "row %d of [%d, %d)", y, first, last)
	}
}

// behind returns the plan of the row sink, which stores rows unchanged.
func (f *footage) behind() *kernel.Plan {
	width, height := f.plan.Luma.H.Out, f.plan.Luma.V.Out
	p := window(width, height, 0, height)
	if f.plan.Chroma == nil {
		p.Channels, p.OutChannels = 1, 1
	}
	if f.plan.Video.Deep {
		p.Bits, p.DType = 16, spool.Uint16
	}
	return p
}

// samples returns the elements of rows.
func (f *footage) samples(rows []byte) []uint16 {
	var out []uint16
	for i := 0; i < len(rows); i++ {
		if f.plan.Video.Deep {
			out = append(out, binary.NativeEndian.Uint16(rows[i:]))
			i++
		} else {
			out = append(out, uint16(rows[i]))
		}
	}
	return out
}

func (f *footage) String() string {
	p := f.plan
	return fmt.Sprintf("%dx%d to %dx%d, subsampled %dx%d, gray %v, %+v", p.Width, p.Height, p.Luma.H.Out, p.Luma.V.Out,
		p.SubX, p.SubY, p.Chroma == nil, p.Video)
}

// requireRows compares rows with those of real arithmetic.
func (f *footage) requireRows(t testing.TB, want []float64, got []byte) {
	t.Helper()
	limit := 0.5 + 0.05
	switch {
	case f.truncates():
		limit = 0
	case f.plan.Video.Deep:
		limit = 8 // coefficients have 13 bits, an error of at most half a unit each, and samples 16
	}
	samples := f.samples(got)
	require.Len(t, samples, len(want))
	for i, x := range want {
		if math.Abs(float64(samples[i])-x) > limit {
			require.InDelta(t, x, samples[i], limit, "sample %d of %v", i, f)
		}
	}
}

func (f *footage) want() []float64 {
	if f.plan.Video.Deep {
		return ideal[uint16](f)
	}
	return ideal[uint8](f)
}

// Random frames in random pieces, several through the same sinks, give the result of real arithmetic, and the same
// bytes with every instruction set.
func TestVideo(t *testing.T) {
	r := seed.Rand(t)
	for range 250 {
		checkVideo(t, r, randomFootage(r, 150))
	}
}

func checkVideo(t testing.TB, r *rand.Rand, f footage) {
	t.Helper()
	rows := f.behind()
	size := rows.CanvasWidth * rows.CanvasHeight * rows.OutChannels * rows.DType.Size()
	frames := []footage{f, f}
	frames[1].fill(r)
	for i := range frames {
		f := &frames[i]
		want := f.want()
		var scalar []byte
		for level := range kernel.PlanesLevels {
			got := make([]byte, size)
			sink, err := kernel.NewSink(rows, make([]byte, size), make([]byte, rows.ScratchBytes()))
			require.NoError(t, err)
			whole, scratch := guarded(f.plan.ScratchBytes())
			s, err := kernel.NewPlanesAt(&f.plan, sink.Pointer(), scratch, level)
			require.NoError(t, err, "%v", f)
			if i > 0 { // after a whole or partial frame
				frames[0].push(t, r, s)
			}
			require.NoError(t, s.Begin(sink, got))
			f.push(t, r, s)
			require.NoError(t, s.Close())
			require.NoError(t, sink.Close())
			requireGuards(t, whole)
			if level == 0 {
				f.requireRows(t, want, got)
				scalar = got
			}
			require.Equal(t, scalar, got, "%v, level %d", f, level)
		}
	}
}

// Kernels stay within frames that end where their memory does. Frames are pushed whole, with windows of any length.
func TestVideoStaysInItsMemory(t *testing.T) {
	r := seed.Rand(t)
	for range 60 {
		f := randomFootage(r, 300)
		b := f.band(0, f.plan.Height, 0)
		for _, plane := range []*[]byte{&b.Y, &b.U, &b.V} {
			memory := fenced(t, len(*plane))
			copy(memory, *plane)
			*plane = memory
		}
		rows := f.behind()
		var scalar []byte
		for level := range kernel.PlanesLevels {
			dst := fenced(t, rows.CanvasWidth*rows.CanvasHeight*rows.OutChannels*rows.DType.Size())
			sink, err := kernel.NewSink(rows, dst, make([]byte, rows.ScratchBytes()))
			require.NoError(t, err)
			s, err := kernel.NewPlanesAt(&f.plan, sink.Pointer(), fenced(t, f.plan.ScratchBytes()), level)
			require.NoError(t, err)
			first, last := s.Wanted()
			part := b
			part.Rows = last - first
			part.Y = part.Y[first*b.StrideY:]
			if f.plan.Chroma != nil {
				part.U = part.U[first/f.plan.SubY*b.StrideUV:]
			}
			if f.plan.Chroma != nil && f.plan.Video.Chroma == kernel.Separate {
				part.V = part.V[first/f.plan.SubY*b.StrideUV:]
			}
			enough, err := s.Push(part)
			require.NoError(t, err)
			require.True(t, enough)
			require.NoError(t, s.Close())
			require.NoError(t, sink.Close())
			if level == 0 {
				scalar = bytes.Clone(dst)
			}
			require.Equal(t, scalar, dst, "%v, level %d", f, level)
		}
	}
}

// Every triple of samples gives the rounded result of real arithmetic, or rarely an adjacent value. With halved chroma
// it gives the result of swscale.
func TestEveryColorOfVideo(t *testing.T) {
	const side = 256
	ramp := func(width int, value func(x, y int) int) raster[uint16] {
		return each(width, side, 1, func(x, y int, out []uint16) { out[0] = uint16(value(x, y)) })
	}
	area := &kernel.PlaneArea{H: kernel.Axis{In: side, Out: side}, V: kernel.Axis{In: side, Out: side}}
	r := seed.Rand(t)
	for _, c := range []struct {
		video kernel.Video
		sub   int
	}{
		{kernel.Video{}, 1}, {kernel.Video{Full: true, Matrix: kernel.BT709}, 1}, {kernel.Video{}, 2},
		{kernel.Video{Full: true, Matrix: kernel.BT709}, 2},
	} {
		video, off := c.video, 0
		for v := 0; v < side; v += 15 {
			f := footage{plan: kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: video, Width: side * c.sub, Height: side,
				SubX: c.sub, SubY: 1, Luma: area, Chroma: area},
				y: ramp(side*c.sub, func(x, _ int) int { return min(x, side-1) }),
				u: ramp(side, func(_, y int) int { return y }), v: ramp(side, func(_, _ int) int { return v })}
			var scalar []byte
			for level := range kernel.PlanesLevels {
				got := make([]byte, side*side*3)
				sink, err := kernel.NewSink(f.behind(), got, make([]byte, f.behind().ScratchBytes()))
				require.NoError(t, err)
				s, err := kernel.NewPlanesAt(&f.plan, sink.Pointer(), make([]byte, f.plan.ScratchBytes()), level)
				require.NoError(t, err)
				f.push(t, r, s)
				require.NoError(t, s.Close())
				require.NoError(t, sink.Close())
				if level == 0 {
					scalar = got
				}
				require.Equal(t, scalar, got, "v %d, level %d", v, level)
			}
			want := f.want()
			f.requireRows(t, want, scalar)
			for i, x := range want {
				if uint8(math.Round(x)) != scalar[i] {
					off++
				}
			}
		}
		assert.Less(t, off, 3*side*side*side/15/50, "%+v", c)
	}
}

func TestInterpolates(t *testing.T) {
	for _, c := range []struct {
		video                     kernel.Video
		width, height, subX, subY int
		interpolates, ok          bool
	}{
		{kernel.Video{}, 20, 10, 2, 2, false, true},
		{kernel.Video{}, 19, 10, 2, 2, false, true},
		{kernel.Video{}, 20, 9, 2, 2, true, false},
		{kernel.Video{}, 20, 10, 2, 1, false, true},
		{kernel.Video{}, 20, 10, 1, 2, true, true},
		{kernel.Video{}, 19, 9, 1, 1, true, true},
		{kernel.Video{Bits: 10}, 20, 10, 2, 2, true, true},
		{kernel.Video{Bits: 10}, 19, 10, 2, 2, true, false},
		{kernel.Video{Chroma: kernel.PairsUV}, 20, 10, 2, 2, true, true},
	} {
		plan := kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: c.video, Width: c.width, Height: c.height, SubX: c.subX,
			SubY: c.subY}
		interpolates, ok := plan.Interpolates()
		assert.Equal(t, []bool{c.interpolates, c.ok}, []bool{interpolates, ok}, "%+v", c)
	}
}

func TestVideoMisuse(t *testing.T) {
	area := &kernel.PlaneArea{H: makeAxis(20, 10, bilinear), V: makeAxis(10, 5, bilinear)}
	good := kernel.PlanesPlan{Rule: kernel.RuleVideo, Width: 20, Height: 10, SubX: 1, SubY: 1, Luma: area, Chroma: area}
	require.NotZero(t, good.ScratchBytes())
	for name, change := range map[string]func(p *kernel.PlanesPlan){
		"interpolated":      func(p *kernel.PlanesPlan) { p.Luma, p.Chroma = nil, nil },
		"without the rule":  func(p *kernel.PlanesPlan) { p.Rule, p.Video.Full = kernel.RuleJPEG, true },
		"no matrix":         func(p *kernel.PlanesPlan) { p.Video.Matrix = kernel.Matrix{Kr: 0.3, Kb: 0.3} },
		"a negative one":    func(p *kernel.PlanesPlan) { p.Video.Matrix = kernel.Matrix{Kr: -0.1, Kb: 0.3} },
		"no numbers":        func(p *kernel.PlanesPlan) { p.Video.Matrix = kernel.Matrix{Kr: math.NaN(), Kb: 0.3} },
		"few bits":          func(p *kernel.PlanesPlan) { p.Video.Bits = 7 },
		"many bits":         func(p *kernel.PlanesPlan) { p.Video.Bits = 17 },
		"high of bytes":     func(p *kernel.PlanesPlan) { p.Video.High = true },
		"deep of bytes":     func(p *kernel.PlanesPlan) { p.Video.Bits, p.Video.Deep = 8, true },
		"an unknown chroma": func(p *kernel.PlanesPlan) { p.Video.Chroma = 3 },
		"pairs of gray":     func(p *kernel.PlanesPlan) { p.Chroma, p.Video.Chroma = nil, kernel.PairsUV },
		"three to one":      func(p *kernel.PlanesPlan) { p.SubX = 3 },
	} {
		p := good
		change(&p)
		assert.Zero(t, p.ScratchBytes(), name)
		_, err := p.Prepare()
		assert.ErrorIs(t, err, spool.ErrOptions, name)
	}

	rows := window(10, 5, 0, 5)
	sink, err := kernel.NewSink(rows, make([]byte, 10*5*3), make([]byte, rows.ScratchBytes()))
	require.NoError(t, err)
	pairs := good
	pairs.Video = kernel.Video{Bits: 10, Chroma: kernel.PairsUV}
	s, err := kernel.NewPlanes(&pairs, sink.Pointer(), make([]byte, pairs.ScratchBytes()))
	require.NoError(t, err)
	plane := make([]byte, 80*10)
	for name, band := range map[string]kernel.Band{
		"luma too narrow":   {Y: plane, U: plane, StrideY: 39, StrideUV: 80, Rows: 10},
		"chroma too narrow": {Y: plane, U: plane, StrideY: 40, StrideUV: 79, Rows: 10},
	} {
		_, err := s.Push(band)
		assert.ErrorIs(t, err, spool.ErrShape, name)
	}
	enough, err := s.Push(kernel.Band{Y: plane, U: plane, StrideY: 40, StrideUV: 80, Rows: 10})
	require.NoError(t, err)
	assert.True(t, enough)

	// Another image through the same sinks.
	assert.ErrorIs(t, sink.Begin(make([]byte, 10)), spool.ErrShape)
	higher := window(10, 6, 0, 6)
	other, err := kernel.NewSink(higher, make([]byte, 10*6*3), make([]byte, higher.ScratchBytes()))
	require.NoError(t, err)
	assert.ErrorIs(t, s.Begin(sink, make([]byte, 10)), spool.ErrShape)
	assert.ErrorIs(t, s.Begin(other, make([]byte, 10*6*3)), spool.ErrShape)
	require.NoError(t, other.Close())
	assert.ErrorIs(t, s.Begin(other, make([]byte, 10*6*3)), spool.ErrClosed)
	require.NoError(t, s.Close())
	assert.ErrorIs(t, s.Begin(sink, make([]byte, 10*5*3)), spool.ErrClosed)
	require.NoError(t, sink.Close())
	assert.ErrorIs(t, sink.Begin(make([]byte, 10*5*3)), spool.ErrClosed)
}

// BenchmarkVideo pushes whole frames to 224x224 RGB, with the axes of resize.Spec.PlanPlane except for the siting of
// chroma.
func BenchmarkVideo(b *testing.B) {
	const size = 224
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name          string
		video         kernel.Video
		width, height int
	}{
		{"yuv420p/340x256", kernel.Video{}, 340, 256},
		{"yuv420p/1280x720", kernel.Video{}, 1280, 720},
		{"nv12/340x256", kernel.Video{Chroma: kernel.PairsUV}, 340, 256},
		{"yuv420p10/340x256", kernel.Video{Bits: 10}, 340, 256},
		{"p010/1280x720", kernel.Video{Bits: 10, High: true, Chroma: kernel.PairsUV}, 1280, 720},
		{"yuv420p10-deep/340x256", kernel.Video{Bits: 10, Deep: true}, 340, 256},
	} {
		axis := makeAxis
		if c.video.Deep {
			axis = makeShortAxis
		}
		area := func(w, h int) *kernel.PlaneArea {
			return &kernel.PlaneArea{H: axis(w, size, bilinear), V: axis(h, size, bilinear)}
		}
		f := footage{plan: kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: c.video, Width: c.width, Height: c.height,
			SubX: 2, SubY: 2}}
		f.plan.Luma, f.plan.Chroma = area(c.width, c.height), area(f.chroma())
		f.fill(r)
		frame, rows := f.band(0, c.height, 64), f.behind()
		for level := range kernel.PlanesLevels {
			b.Run(fmt.Sprintf("%s/%d", c.name, level), func(b *testing.B) {
				dst := make([]byte, size*size*3*rows.DType.Size())
				sink, err := kernel.NewSink(rows, dst, make([]byte, rows.ScratchBytes()))
				require.NoError(b, err)
				s, err := kernel.NewPlanesAt(&f.plan, sink.Pointer(), make([]byte, f.plan.ScratchBytes()), level)
				require.NoError(b, err)
				first, last := s.Wanted()
				require.Equal(b, []int{0, c.height}, []int{first, last})
				for b.Loop() {
					_ = s.Begin(sink, dst)
					if enough, err := s.Push(frame); !enough || err != nil {
						b.Fatal(enough, err)
					}
				}
				per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(per/float64(c.width*c.height), "ns/pixel")
				b.ReportMetric(per/(size*size), "ns/output")
				require.NoError(b, s.Close())
				require.NoError(b, sink.Close())
			})
		}
	}
}
