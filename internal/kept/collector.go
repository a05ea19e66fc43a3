package kept

import (
	"runtime"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
)

// Collector collects packets.
type Collector struct {
	Stream  index.Stream
	Window  Window
	packets []index.Packet
	list    []*av.Packet
}

// Add keeps a packet with the entry x of the index. The payload is shared.
func (k *Collector) Add(from *av.Packet, x index.Packet) error {
	return k.New(x, func(packet *av.Packet, e av.Entry) error { return packet.Share(from, k.Stream.Number, e) })
}

// New keeps a new packet with the entry x of the index. Fill sets its content.
func (k *Collector) New(x index.Packet, fill func(*av.Packet, av.Entry) error) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	x.Pos = int64(len(k.packets)) // the position that Reader.SeekByte seeks to
	k.list, k.packets = append(k.list, packet), append(k.packets, x)
	return fill(packet, entryOf(&x))
}

// Release releases the packets that were added.
func (k *Collector) Release() {
	for _, packet := range k.list {
		packet.Release()
	}
}

// Fill makes p of the collected packets, or releases them on an error. It takes over one reference to memory.
func (k *Collector) Fill(p *Packets, kind av.Kind, parameters av.Parameters, memory *Memory) error {
	k.Stream.Format = format
	x, err := index.New(index.File{}, k.Stream, k.packets)
	if err != nil {
		k.Release()
		memory.Release()
		return err
	}
	*p = Packets{Kind: kind, Parameters: parameters, Table: x, Window: k.Window, List: k.list, Memory: memory}
	if memory != nil {
		p.cleanup = runtime.AddCleanup(p, (*Memory).Release, memory)
	}
	return nil
}
