package av

import "github.com/asticode/go-astiav"

// What differs between the go-astiav of FFmpeg 5 and those of later versions.

func displayMatrix(s *astiav.Stream) []byte {
	return s.SideData(astiav.PacketSideDataTypeDisplaymatrix)
}

func channels(p *astiav.CodecParameters) int { return p.Channels() }
