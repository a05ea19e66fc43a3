package order

import (
	"fmt"
	"strconv"
	"strings"
)

// Rank is one of several processes that share the same data. The zero value is a single process.
type Rank struct {
	Index int    // from 0
	World int    // number of processes; 0 means 1
	From  string // where it was found, for messages: "RANK and WORLD_SIZE"; empty for a single process
}

// worlds are the variables that launchers set, most specific first: torchrun within a Slurm job sets those of torchrun.
var worlds = []struct{ index, world string }{
	{"RANK", "WORLD_SIZE"},                           // torchrun, and by hand
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         // srun
	{"SLURM_PROCID", "SLURM_NTASKS"},                 // an older srun
	// an indexed job of Kubernetes, which has no variable for the number of processes
	{"JOB_COMPLETION_INDEX", "WORLD_SIZE"},
}

// RankFrom finds the rank in the environment. lookup is a function like os.LookupEnv. In this order, it looks for RANK
// and WORLD_SIZE, the variables of Open MPI, those of Slurm, and JOB_COMPLETION_INDEX with WORLD_SIZE. Without any of
// them, the process is alone.
//
// It is an error if a pair is incomplete and no other pair is complete, or if the values are not a rank. Otherwise the
// process would wrongly assume that it is alone, and load everything. SLURM's and Open MPI's world size and a
// WORLD_SIZE of 1 are allowed without an index.
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
		return Rank{}, fmt.Errorf("order: %s=%q and %s=%q are not a rank", indexName, index, worldName, world)
	}
	return r, nil
}

// Validate returns an error if the index is not in [0, World).
func (r Rank) Validate() error {
	if r.World < 0 || r.Index < 0 || r.Index >= max(1, r.World) {
		return fmt.Errorf("order: rank %d of %d", r.Index, r.World)
	}
	return nil
}

// String returns the rank as text, such as "rank 3 of 8".
func (r Rank) String() string { return fmt.Sprintf("rank %d of %d", r.Index, max(1, r.World)) }
