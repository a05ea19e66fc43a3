package golden

import "encoding/binary"

// Pixels returns the case's image, height x width x channels bytes.
func (c Case) Pixels() []byte {
	width, height, channels := c.In[0], c.In[1], c.Channels
	p := noise(c.Seed, width*height*channels)
	for i, v := range p {
		x, y := i/channels%width, i/channels/width
		across, down := x*255/max(width-1, 1), y*255/max(height-1, 1)
		switch c.Content {
		case "mask":
			p[i] = -(v >> 7)
		case "smooth":
			ramps := [4]int{across, down, (x + y) * 255 / max(width+height-2, 1), 255 - across}
			p[i] = uint8(min(max(ramps[i%channels]+int(v&31)-16, 0), 255))
		}
	}
	return p
}

// noise returns n bytes of the output of SplitMix64.
func noise(seed uint64, n int) []byte {
	words := SplitMix64(seed)
	p := make([]byte, 0, n+7)
	for len(p) < n {
		p = binary.LittleEndian.AppendUint64(p, words())
	}
	return p[:n]
}

// SplitMix64 returns the generator that starts at a seed: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (2014).
func SplitMix64(seed uint64) (next func() uint64) {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}
