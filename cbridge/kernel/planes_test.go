package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// planar is an image in planes: one of luma, and two of chroma.
type planar struct {
	width, height, subX, subY int
	y, u, v                   image
}

func randomPlanar(r *rand.Rand, width, height, subX, subY int) planar {
	chromaWidth, chromaHeight := (width+subX-1)/subX, (height+subY-1)/subY
	return planar{width, height, subX, subY, randomImage(r, width, height, 1),
		randomImage(r, chromaWidth, chromaHeight, 1), randomImage(r, chromaWidth, chromaHeight, 1)}
}

// rgb is the model of libwebp's arithmetic: interpolation of chroma and the conversion, by their formulas.
func (p planar) rgb() image {
	u, v := p.widen(p.u), p.widen(p.v)
	return each(p.width, p.height, 3,
		func(x, y int, out []uint8) { webpRGB(p.y.at(x, y)[0], u.at(x, y)[0], v.at(x, y)[0], out) })
}

func webpRGB(y, u, v uint8, out []uint8) {
	hi := func(sample uint8, k int) int { return int(sample) * k >> 8 }
	for i, sum := range []int{
		hi(y, 19077) + hi(v, 26149) - 14234,
		hi(y, 19077) - hi(u, 6419) - hi(v, 13320) + 8708,
		hi(y, 19077) + hi(u, 33050) - 17685,
	} {
		out[i] = uint8(min(max(sum>>6, 0), 255))
	}
}

// jpegRGB is the conversion of JFIF in libjpeg's integers.
func jpegRGB(y, u, v uint8, out []uint8) {
	b, r := int(u)-128, int(v)-128
	for i, part := range []int{91881 * r, -22554*b - 46802*r, 116130 * b} {
		out[i] = uint8(min(max(int(y)+(part+1<<15)>>16, 0), 255))
	}
}

// widen interpolates a plane of chroma: every sample of luma belongs to one sample of chroma and has three adjacent
// ones.
func (p planar) widen(plane image) image {
	beside := func(i, sub, n int) int { // the adjacent chroma sample for luma sample i
		if sub == 1 {
			return i
		}
		return min(max(i/2+i%2*2-1, 0), n-1)
	}
	return each(p.width, p.height, 1, func(x, y int, out []uint8) {
		nx, ny := x/p.subX, y/p.subY
		fx, fy := beside(x, p.subX, plane.width), beside(y, p.subY, plane.height)
		near, side := int(plane.at(nx, ny)[0]), int(plane.at(fx, ny)[0])
		far, across := int(plane.at(nx, fy)[0]), int(plane.at(fx, fy)[0])
		switch {
		case p.subX == 1:
			out[0] = uint8(near)
		case fx == nx: // at the edge
			out[0] = uint8((3*near + far + 2) / 4)
		default: // 9, 3, 3, 1 sixteenths, in libwebp's steps
			sum := near + side + far + across + 8
			out[0] = uint8(((sum+2*(side+far))/8 + near) / 2)
		}
	})
}

// push pushes the planes in bands of random sizes.
func (p planar) push(t testing.TB, r *rand.Rand, s *kernel.Planes) {
	t.Helper()
	first, last := s.Wanted()
	for y := first; y < last; {
		n := min((1+r.IntN(20))*p.subY, last-y)
		rows := func(plane image, y, n int) []byte { return plane.pixels[y*plane.width : (y+n)*plane.width] }
		chroma := (n + p.subY - 1) / p.subY
		enough, err := s.Push(kernel.Band{Y: rows(p.y, y, n), U: rows(p.u, y/p.subY, chroma), V: rows(p.v, y/p.subY, chroma),
			StrideY: p.width, StrideUV: p.u.width, Rows: n})
		require.NoError(t, err)
		y += n
		require.Equal(t, y == last, enough, "row %d of [%d, %d)", y, first, last)
	}
}

// window returns a plan that keeps rows [top, bottom) of an image.
func window(width, height, top, bottom int) *kernel.Plan {
	return &kernel.Plan{Width: width, Height: height, Channels: 3, Right: width, Top: top,
		H: kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: bottom - top, Out: bottom - top},
		CanvasWidth: width, CanvasHeight: bottom - top, OutChannels: 3, Layout: spool.HWC}
}

// through pushes the planes of p through a sink for plan and returns its output.
func (p planar) through(t testing.TB, r *rand.Rand, plan *kernel.PlanesPlan, rows *kernel.Plan, level int) []byte {
	t.Helper()
	dst := make([]byte, rows.CanvasWidth*rows.CanvasHeight*3)
	sink, err := kernel.NewSink(rows, dst, make([]byte, rows.ScratchBytes()))
	require.NoError(t, err)
	defer func() { require.NoError(t, sink.Close()) }()
	whole, scratch := guarded(plan.ScratchBytes())
	s, err := kernel.NewPlanesAt(plan, sink.Pointer(), scratch, level)
	require.NoError(t, err)
	p.push(t, r, s)
	require.NoError(t, s.Close())
	requireGuards(t, whole)
	return dst
}

// together is through with both sinks opened by one call.
func (p planar) together(t testing.TB, r *rand.Rand, plan *kernel.PlanesPlan, rows *kernel.Plan) []byte {
	t.Helper()
	prepared, err := plan.Prepare()
	require.NoError(t, err)
	behind, err := rows.Prepare()
	require.NoError(t, err)
	dst := make([]byte, rows.CanvasWidth*rows.CanvasHeight*3)
	whole, scratch := guarded(prepared.ScratchBytes() + behind.ScratchBytes())
	s, sink, err := prepared.OpenBefore(behind, dst, scratch)
	require.NoError(t, err)
	p.push(t, r, s)
	require.Equal(t, rows.V.Out, sink.Rows())
	require.NoError(t, s.Close())
	require.NoError(t, sink.Close())
	requireGuards(t, whole)
	return dst
}

func TestPlanesAreInterpolatedAsLibwebpDoes(t *testing.T) {
	r := seed.Rand(t)
	for range 400 {
		width, height := extent(r, 150), extent(r, 80)
		p := randomPlanar(r, width, height, 1+r.IntN(2), 1+r.IntN(2))
		top, left := r.IntN(height), r.IntN(width)*r.IntN(2)
		bottom, right := top+1+r.IntN(height-top), left+1+r.IntN(width-left)
		rows, rgb := window(width, height, top, bottom), p.rgb()
		rows.Left, rows.Right, rows.CanvasWidth = left, right, right-left
		rows.H = kernel.Axis{In: right - left, Out: right - left}
		want := each(right-left, bottom-top, 3, func(x, y int, out []uint8) { copy(out, rgb.at(left+x, top+y)) })
		plan := &kernel.PlanesPlan{Width: width, Height: height, SubX: p.subX, SubY: p.subY}
		for level := range kernel.PlanesLevels {
			got := p.through(t, r, plan, rows, level)
			require.Equal(t, want.pixels, got, "%dx%d, subsampled %dx%d, columns [%d, %d), rows [%d, %d), level %d",
				width, height, p.subX, p.subY, left, right, top, bottom, level)
		}
	}
}

// Every triple of samples, one row for each luma value.
func TestEveryColor(t *testing.T) {
	const width = 256
	p := planar{width: width, height: 256, subX: 1, subY: 1, y: newImage(width, 256, 1), u: newImage(width, 256, 1),
		v: newImage(width, 256, 1)}
	for i := range p.y.pixels {
		p.y.pixels[i], p.u.pixels[i] = uint8(i), uint8(i>>8)
	}
	r := seed.Rand(t)
	plan := &kernel.PlanesPlan{Width: width, Height: 256, SubX: 1, SubY: 1}
	for v := range 256 {
		for i := range p.v.pixels {
			p.v.pixels[i] = uint8(v)
		}
		want := p.rgb().pixels
		for level := range kernel.PlanesLevels {
			require.Equal(t, want, p.through(t, r, plan, window(width, 256, 0, 256), level), "v %d, level %d", v, level)
		}
	}
}

// Every triple of JPEG samples is within 1 of libjpeg's integers, and nearly all are equal.
func TestEveryColorOfJPEG(t *testing.T) {
	const side = 256
	y, u := newImage(side, side, 1), newImage(side, side, 1)
	for i := range y.pixels {
		y.pixels[i], u.pixels[i] = uint8(i), uint8(i>>8)
	}
	area := &kernel.PlaneArea{H: kernel.Axis{In: side, Out: side}, V: kernel.Axis{In: side, Out: side}}
	plan := &kernel.PlanesPlan{Rule: kernel.RuleJPEG, Width: side, Height: side, SubX: 1, SubY: 1, Luma: area,
		Chroma: area}
	r := seed.Rand(t)
	different := 0
	for v := range side {
		p := planar{width: side, height: side, subX: 1, subY: 1, y: y, u: u,
			v: each(side, side, 1, func(_, _ int, out []uint8) { out[0] = uint8(v) })}
		scalar := p.through(t, r, plan, window(side, side, 0, side), 0)
		for level := 1; level < kernel.PlanesLevels; level++ {
			require.Equal(t, scalar, p.through(t, r, plan, window(side, side, 0, side), level), "v %d, level %d", v, level)
		}
		var want [3]uint8
		for i := range y.pixels {
			jpegRGB(y.pixels[i], u.pixels[i], uint8(v), want[:])
			for c, x := range want {
				if got := scalar[3*i+c]; got != x {
					require.InDelta(t, x, got, 1, "%d %d %d", y.pixels[i], u.pixels[i], v)
					different++
				}
			}
		}
	}
	require.Less(t, different, 3*side*side*side/100)
}

func TestPlanesAreResizedByThemselves(t *testing.T) {
	r := seed.Rand(t)
	for range 150 {
		width, height := extent(r, 150), extent(r, 80)
		p := randomPlanar(r, width, height, 1+r.IntN(2), 1+r.IntN(2))
		outWidth, outHeight := extent(r, 60), extent(r, 60)
		area := func(w, h int) *kernel.PlaneArea {
			left, top := r.IntN(w), r.IntN(h)
			return &kernel.PlaneArea{Left: left, Top: top, H: makeAxis(w-left, outWidth, bilinear),
				V: makeAxis(h-top, outHeight, bilinear)}
		}
		plan := &kernel.PlanesPlan{Width: width, Height: height, SubX: p.subX, SubY: p.subY,
			Luma: area(width, height), Chroma: area(p.u.width, p.u.height)}
		resized := func(plane image, a *kernel.PlaneArea) image {
			part := each(a.H.In, a.V.In, 1, func(x, y int, out []uint8) { copy(out, plane.at(a.Left+x, a.Top+y)) })
			return part.horizontal(&a.H).vertical(&a.V)
		}
		y, u, v := resized(p.y, plan.Luma), resized(p.u, plan.Chroma), resized(p.v, plan.Chroma)
		want := each(outWidth, outHeight, 3,
			func(x, row int, out []uint8) { webpRGB(y.at(x, row)[0], u.at(x, row)[0], v.at(x, row)[0], out) })
		for level := range kernel.PlanesLevels {
			got := p.through(t, r, plan, window(outWidth, outHeight, 0, outHeight), level)
			require.Equal(t, want.pixels, got, "%dx%d to %dx%d, subsampled %dx%d, level %d", width, height, outWidth, outHeight,
				p.subX, p.subY, level)
		}
		require.Equal(t, want.pixels, p.together(t, r, plan, window(outWidth, outHeight, 0, outHeight)))
		if p.subX*p.subY == 1 { // luma only
			plan.Chroma = nil
			gray := &kernel.Plan{Width: outWidth, Height: outHeight, Channels: 1, Right: outWidth,
				H: kernel.Axis{In: outWidth, Out: outWidth},
				V: kernel.Axis{In: outHeight, Out: outHeight}, CanvasWidth: outWidth, CanvasHeight: outHeight, OutChannels: 3,
				Layout: spool.HWC}
			want := each(outWidth, outHeight, 3, func(x, row int, out []uint8) { copy(out, slices.Repeat(y.at(x, row), 3)) })
			require.Equal(t, want.pixels, p.through(t, r, plan, gray, kernel.PlanesLevels-1))
		}
	}
}

func TestPlanesStayInTheirMemory(t *testing.T) {
	r := seed.Rand(t)
	for range 60 {
		width, height := extent(r, 100), extent(r, 20)
		p := randomPlanar(r, width, height, 1+r.IntN(2), 1+r.IntN(2))
		for _, plane := range []*image{&p.y, &p.u, &p.v} {
			memory := fenced(t, len(plane.pixels))
			copy(memory, plane.pixels)
			plane.pixels = memory
		}
		plan, rows := &kernel.PlanesPlan{Width: width, Height: height, SubX: p.subX, SubY: p.subY}, window(width, height, 0,
			height)
		for level := range kernel.PlanesLevels {
			dst, scratch := fenced(t, width*height*3), fenced(t, plan.ScratchBytes())
			sink, err := kernel.NewSink(rows, dst, make([]byte, rows.ScratchBytes()))
			require.NoError(t, err)
			s, err := kernel.NewPlanesAt(plan, sink.Pointer(), scratch, level)
			require.NoError(t, err)
			enough, err := s.Push(kernel.Band{Y: p.y.pixels, U: p.u.pixels, V: p.v.pixels, StrideY: width, StrideUV: p.u.width,
				Rows: height})
			require.NoError(t, err)
			require.True(t, enough)
			require.NoError(t, s.Close())
			require.NoError(t, sink.Close())
			require.Equal(t, p.rgb().pixels, dst)
		}
	}
}

func TestPlanesMisuse(t *testing.T) {
	rows := window(20, 10, 0, 10)
	sink, err := kernel.NewSink(rows, make([]byte, 20*10*3), make([]byte, rows.ScratchBytes()))
	require.NoError(t, err)
	defer func() { require.NoError(t, sink.Close()) }()
	half := &kernel.PlaneArea{H: makeAxis(20, 10, bilinear), V: makeAxis(10, 5, bilinear)}

	for name, plan := range map[string]kernel.PlanesPlan{
		"nothing":            {},
		"rule":               {Rule: 9, Width: 20, Height: 10, SubX: 2, SubY: 2},
		"size":               {Width: 20, SubX: 2, SubY: 2},
		"subsampling":        {Width: 20, Height: 10, SubX: 4, SubY: 2},
		"luma alone halved":  {Width: 20, Height: 10, SubX: 2, SubY: 2, Luma: half},
		"chroma alone":       {Width: 20, Height: 10, SubX: 2, SubY: 2, Chroma: half},
		"JPEG, interpolated": {Rule: kernel.RuleJPEG, Width: 20, Height: 10, SubX: 2, SubY: 2},
		"different results": {Width: 20, Height: 10, SubX: 1, SubY: 1, Luma: half,
			Chroma: &kernel.PlaneArea{H: half.H, V: makeAxis(10, 4, bilinear)}},
	} {
		assert.Zero(t, plan.ScratchBytes(), name)
		_, err := kernel.NewPlanes(&plan, sink.Pointer(), make([]byte, 1<<16))
		assert.ErrorIs(t, err, spool.ErrOptions, name)
	}

	// Areas are validated like plans of the row sink.
	outside := kernel.PlanesPlan{Width: 20, Height: 10, SubX: 1, SubY: 1,
		Luma: &kernel.PlaneArea{Left: 1, H: half.H, V: half.V}, Chroma: half}
	assert.Zero(t, outside.ScratchBytes())
	_, err = kernel.NewPlanes(&outside, sink.Pointer(), make([]byte, 1<<16))
	assert.Error(t, err)

	plan := kernel.PlanesPlan{Width: 20, Height: 10, SubX: 2, SubY: 2}
	_, err = kernel.NewPlanes(&plan, sink.Pointer(), make([]byte, plan.ScratchBytes()-1))
	assert.ErrorIs(t, err, spool.ErrShape)
	low := kernel.PlanesPlan{Width: 20, Height: 9, SubX: 2, SubY: 2}
	_, err = kernel.NewPlanes(&low, sink.Pointer(), make([]byte, low.ScratchBytes()))
	assert.ErrorIs(t, err, spool.ErrShape, "the sink wants ten rows")
	small := kernel.PlanesPlan{Width: 20, Height: 10, SubX: 1, SubY: 1, Luma: half, Chroma: half}
	_, err = kernel.NewPlanes(&small, sink.Pointer(), make([]byte, small.ScratchBytes()))
	assert.ErrorIs(t, err, spool.ErrShape, "the sink wants ten rows, five come")
	behind, err := window(10, 5, 0, 5).Prepare()
	require.NoError(t, err)
	five, err := small.Prepare()
	require.NoError(t, err)
	interpolated, err := plan.Prepare()
	require.NoError(t, err)
	ten, err := rows.Prepare()
	require.NoError(t, err)
	enough := make([]byte, 1<<16)
	for name, open := range map[string]struct {
		planes    *kernel.PreparedPlanes
		rows      *kernel.Prepared
		dst, area []byte
		want      error
	}{
		"interpolated": {interpolated, ten, make([]byte, 20*10*3), enough, spool.ErrOptions},
		"ten rows":     {five, ten, make([]byte, 20*10*3), enough, spool.ErrShape},
		"a short dst":  {five, behind, make([]byte, 10*5*3-1), enough, spool.ErrShape},
		"no scratch": {five, behind, make([]byte, 10*5*3), enough[:five.ScratchBytes()+behind.ScratchBytes()-1],
			spool.ErrShape},
	} {
		_, _, err := open.planes.OpenBefore(open.rows, open.dst, open.area)
		assert.ErrorIs(t, err, open.want, name)
	}

	s, err := kernel.NewPlanes(&plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	planes := make([]byte, 20*12)
	for name, band := range map[string]kernel.Band{
		"no rows":         {Y: planes, U: planes, V: planes, StrideY: 20, StrideUV: 10},
		"an odd number":   {Y: planes, U: planes, V: planes, StrideY: 20, StrideUV: 10, Rows: 3},
		"too many":        {Y: planes, U: planes, V: planes, StrideY: 20, StrideUV: 10, Rows: 12},
		"luma too short":  {Y: planes[:20*4-1], U: planes, V: planes, StrideY: 20, StrideUV: 10, Rows: 4},
		"chroma missing":  {Y: planes, U: planes, StrideY: 20, StrideUV: 10, Rows: 4},
		"narrow stride":   {Y: planes, U: planes, V: planes, StrideY: 20, StrideUV: 9, Rows: 4},
		"negative stride": {Y: planes, U: planes, V: planes, StrideY: -20, StrideUV: 10, Rows: 4},
	} {
		_, err := s.Push(band)
		assert.ErrorIs(t, err, spool.ErrShape, name)
	}
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = s.Push(kernel.Band{})
	assert.ErrorIs(t, err, spool.ErrClosed)
	first, last := s.Wanted()
	assert.Equal(t, []int{0, 0}, []int{first, last})
	assert.Nil(t, s.Pointer())
}

// BenchmarkPlanes takes planes in the cache, as a decoder leaves them, to rows of the image's size and to 224x224.
func BenchmarkPlanes(b *testing.B) {
	const width, height, size = 500, 375, 224
	r := rand.New(rand.NewPCG(1, 1))
	p := randomPlanar(r, width, height, 2, 2)
	area := func(w, h int) *kernel.PlaneArea {
		return &kernel.PlaneArea{H: makeAxis(w, size, bilinear), V: makeAxis(h, size, bilinear)}
	}
	convert := kernel.PlanesPlan{Width: width, Height: height, SubX: 2, SubY: 2}
	resized := convert
	resized.Luma, resized.Chroma = area(width, height), area(width/2, (height+1)/2)
	for _, c := range []struct {
		name string
		plan *kernel.PlanesPlan
		rows *kernel.Plan
	}{
		{"rgb", &convert, window(width, height, 0, height)},
		{"rgb-224x224", &convert, resizePlan(width, height, 3, size, size, bilinear)},
		{"planes-224x224", &resized, window(size, size, 0, size)},
	} {
		b.Run(c.name, func(b *testing.B) {
			dst := make([]byte, c.rows.CanvasWidth*c.rows.CanvasHeight*3)
			rowScratch, scratch := make([]byte, c.rows.ScratchBytes()), make([]byte, c.plan.ScratchBytes())
			inTurn(b, kernel.PlanesLevels, width*height, func(level int) {
				sink, err := kernel.NewSink(c.rows, dst, rowScratch)
				require.NoError(b, err)
				s, err := kernel.NewPlanesAt(c.plan, sink.Pointer(), scratch, level)
				require.NoError(b, err)
				for y := 0; y < height; y += 16 {
					n := min(16, height-y)
					_, err := s.Push(kernel.Band{Y: p.y.pixels[y*width:], U: p.u.pixels[y/2*width/2:], V: p.v.pixels[y/2*width/2:],
						StrideY: width, StrideUV: width / 2, Rows: n})
					require.NoError(b, err)
				}
				require.NoError(b, s.Close())
				require.NoError(b, sink.Close())
			})
		})
	}
}
