package order

import (
	"fmt"
	"strconv"
	"strings"
)

// Rank is one of several processes that go through the same data together. The zero value is one process alone.
type Rank struct {
	Index int    // from 0
	World int    // how many there are; 0 is 1
	From  string // what said so, for messages: "RANK and WORLD_SIZE"; empty of a process alone
}

// worlds are the variables that launchers set, the most particular first: torchrun's within a Slurm job is torchrun's.
var worlds = []struct{ index, world string }{
	{"RANK", "WORLD_SIZE"},                           // torchrun, and by hand
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         // srun
	{"SLURM_PROCID", "SLURM_NTASKS"},                 // an older srun
	{"JOB_COMPLETION_INDEX", "WORLD_SIZE"},           // an indexed job of Kubernetes, which does not say how many there are
}

// RankFrom looks for a rank in the environment, given as os.LookupEnv is: RANK and WORLD_SIZE, those of Open MPI, of
// Slurm, and JOB_COMPLETION_INDEX with WORLD_SIZE, in this order. Without any of them the process is alone. Half a
// pair, or what is no rank, is an error: a process that takes itself for alone would load everything.
func RankFrom(lookup func(string) (string, bool)) (Rank, error) {
	var half []string
	for _, w := range worlds {
		index, hasIndex := lookup(w.index)
		world, hasWorld := lookup(w.world)
		switch {
		case hasIndex && hasWorld:
			return parseRank(w.index, index, w.world, world)
		case hasIndex:
			half = append(half, fmt.Sprintf("%s=%s without %s", w.index, index, w.world))
		case hasWorld && w.index == "RANK" && world != "1":
			half = append(half, fmt.Sprintf("%s=%s without %s", w.world, world, w.index))
		}
	}
	if len(half) > 0 {
		return Rank{}, fmt.Errorf("order: the environment has %s", strings.Join(half, " and "))
	}
	return Rank{}, nil
}

func parseRank(indexName, index, worldName, world string) (Rank, error) {
	i, errIndex := strconv.Atoi(index)
	n, errWorld := strconv.Atoi(world)
	r := Rank{Index: i, World: n, From: indexName + " and " + worldName}
	if errIndex != nil || errWorld != nil || n < 1 || i < 0 || i >= n {
		return Rank{}, fmt.Errorf("order: %s=%q and %s=%q are no rank", indexName, index, worldName, world)
	}
	return r, nil
}

// Validate says what is wrong with a rank.
func (r Rank) Validate() error {
	if r.World < 0 || r.Index < 0 || r.Index >= max(1, r.World) {
		return fmt.Errorf("order: rank %d of %d", r.Index, r.World)
	}
	return nil
}

// String is "rank 3 of 8".
func (r Rank) String() string { return fmt.Sprintf("rank %d of %d", r.Index, max(1, r.World)) }
