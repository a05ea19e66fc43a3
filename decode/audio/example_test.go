package audio_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
)

// A tenth of a second of speech as the input of a model: 16 kHz, mono, float32.
func ExampleAudio_Read() {
	d, err := decode.New(decode.Options{})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	audios, err := audio.New(d, audio.Options{})
	if err != nil {
		panic(err)
	}
	defer audios.Close()
	a, err := audios.Open(context.Background(), spool.File("../../testdata/audio/mp3.mp3"), audio.OpenOptions{})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	s, err := a.Read(context.Background(), audio.Spec{Rate: 16000, Channels: 1, Start: 0.5, End: 0.6})
	if err != nil {
		panic(err)
	}
	defer s.Release()
	fmt.Println(a.Info().Codec, a.Info().Rate, a.Info().Channels)
	fmt.Println(s.Desc(), "from", s.Start())
	// Output:
	// mp3 22050 2
	// float32 CT [1 1600] from 0.5
}
