// Command scale simulates the training of many ranks on a large data set in a store, and prints the tables of
// docs/scale.md.
//
//	go run ./bench/scale [-samples 1000000000] [-shards 100000] [-ranks 1024] [-latency 100ms] ...
//
// Each rank is simulated by itself, in simulated time, with sizes of its own. TestRank compares small
// cases with the loader. Prices are in USD, as lists of 2025 had them for one region: check them.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	s := setup{}
	flag.IntVar(&s.samples, "samples", 1e9, "samples of the data set")
	flag.IntVar(&s.shards, "shards", 1e5, "shards that hold them")
	flag.IntVar(&s.ranks, "ranks", 1024, "ranks")
	flag.IntVar(&s.node, "node", 8, "ranks of a node, which share its link and cores")
	flag.IntVar(&s.batch, "batch", 256, "samples of a batch")
	flag.IntVar(&s.cores, "cores", 12, "cores of a rank")
	flag.Float64Var(&s.link, "link", 10, "Gbit/s of a node")
	flag.Float64Var(&s.bytes, "bytes", 100_000, "mean bytes of a sample")
	flag.DurationVar(&s.latency, "latency", 100*time.Millisecond, "latency of a request")
	flag.DurationVar(&s.decode, "decode", time.Millisecond, "mean CPU time of a sample")
	simulated := flag.Int("simulated", 10_000, "samples that each rank loads")
	flag.Parse()
	if err := s.check(*simulated); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(2)
	}
	fmt.Print(s.report(*simulated))
}

// class is a class of storage.
type class struct {
	name        string
	perMillion  float64 // USD for a million requests to read
	perGigabyte float64 // USD to read as many bytes, within the region
	perSecond   float64 // requests that a prefix answers at least
}

// classes are list prices of 2025, in us-east-1 and us-central1.
var classes = []class{
	{"Amazon S3 Standard", 0.40, 0, 5500},
	{"Amazon S3 Standard-IA", 1.00, 0.01, 5500},
	{"Amazon S3 Glacier Instant Retrieval", 10.00, 0.03, 5500},
	{"Google Cloud Storage Standard", 0.40, 0, 5000},
	{"Google Cloud Storage Nearline", 1.00, 0.01, 5000},
}
