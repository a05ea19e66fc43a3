package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spoolmedia/spool/pipe/costs"
)

// served is the argument with which this program is a store: a server of files that answers late.
const served = "served"

// serve serves a folder until its standard input ends. It prints its URL.
func serve(arguments []string) error {
	late, err := time.ParseDuration(arguments[1])
	if err != nil {
		return err
	}
	files := http.FileServer(http.Dir(arguments[0]))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(late) //nolint:forbidigo // it is late on purpose
		files.ServeHTTP(w, r)
	}))
	defer s.Close()
	fmt.Println(s.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// stored calls do with a list of the URLs of photos, while a store serves them.
func (m machine) stored(ctx context.Context, media, folder string, late time.Duration,
	do func(list string) error) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := m.command(ctx, self, served, media, late.String())
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	defer func() { _ = c.Wait() }() // the run has all answers
	defer in.Close()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(media, "photos", "*"))
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range names {
		text.WriteString(strings.TrimSpace(address) + "/photos/" + filepath.Base(name) + "\n")
	}
	list := filepath.Join(folder, "urls")
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		return err
	}
	return do("@" + list)
}

// workers are the settings that all pipelines have.
func workers() []change {
	return []change{
		{name: "the same"},
		{name: "1 worker", flags: []string{"--workers", "1"}, predict: costs.Settings{Workers: 1}},
		{name: "4 workers", flags: []string{"--workers", "4"}, predict: costs.Settings{Workers: 4}},
		{name: "prefetch 8", flags: []string{"--prefetch", "8"}, predict: costs.Settings{Prefetch: 8}},
	}
}

// commands are the pipelines of spool run.
func (m machine) commands(media, folder string) []pipeline {
	in := func(name string) string { return filepath.Join(media, name) }
	command := func(name string, tries []change, arguments ...string) pipeline {
		return pipeline{name: name, tries: tries, run: func(ctx context.Context, c change, file string) error {
			whole := append([]string{m.spool, "run"}, arguments...)
			whole = append(whole, "--workers", "2", "--costs", file, "--on-error", "skip", "--ledger", os.DevNull)
			whole = append(whole, c.flags...)
			out, err := m.command(ctx, whole...).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %q: %s", err, whole, out)
			}
			return nil
		}}
	}
	remote := []change{
		{name: "the same"},
		{name: "latency +40 ms", predict: costs.Settings{Latency: 2 * latency}},
		{name: "1 worker", flags: []string{"--workers", "1"}, predict: costs.Settings{Workers: 1}},
		{name: "4 workers", flags: []string{"--workers", "4"}, predict: costs.Settings{Workers: 4}},
	}
	clips := []string{"clip0.mp4", "clip1.mp4", "clip2.mp4", "clip3.mp4", "clip4.mp4", "clip5.mp4"}
	video := []string{"video"}
	for _, clip := range clips {
		video = append(video, in("video/"+clip))
	}
	far := command("photos of a store, 20 ms", remote)
	far.run = func(ctx context.Context, c change, file string) error {
		return m.stored(ctx, media, folder, latency+c.predict.Latency, func(list string) error {
			return command("", nil, "images", list, "--size", "224", "--epochs", "2").run(ctx, c, file)
		})
	}
	return []pipeline{
		command("photos", workers(), "images", in("photos"), "--size", "224", "--epochs", "4"),
		command("mixed sizes", workers(), "images", in("photos"), in("large"), in("large"), "--size", "224", "--shuffle",
			"--train", "--epochs", "3"),
		command("video clips", workers(), append(video, "--frames", "8", "--size", "112", "--batch", "4",
			"--epochs", "8")...),
		command("audio", workers(), "audio", in("audio"), "--rate", "16000", "--duration", "2", "--batch", "8", "--epochs",
			"60"),
		far,
	}
}
