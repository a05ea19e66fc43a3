package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/order"
)

func TestRankFrom(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want order.Rank
		bad  bool
	}{
		{"alone", nil, order.Rank{}, false},
		{"torchrun", map[string]string{"RANK": "3", "WORLD_SIZE": "8"}, order.Rank{3, 8, "RANK and WORLD_SIZE"}, false},
		{"torchrun within Slurm", map[string]string{"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "0", "SLURM_NTASKS": "2"},
			order.Rank{3, 8, "RANK and WORLD_SIZE"}, false},
		{"srun", map[string]string{"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6", "SLURM_NTASKS": "64"},
			order.Rank{5, 6, "SLURM_PROCID and SLURM_STEP_NUM_TASKS"}, false},
		{"older srun", map[string]string{"SLURM_PROCID": "5", "SLURM_NTASKS": "6"},
			order.Rank{5, 6, "SLURM_PROCID and SLURM_NTASKS"}, false},
		{"mpirun", map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"},
			order.Rank{1, 2, "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE"}, false},
		{"mpirun within Slurm", map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2",
			"SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
			order.Rank{1, 2, "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE"}, false},
		{"Kubernetes", map[string]string{"JOB_COMPLETION_INDEX": "4", "WORLD_SIZE": "5"},
			order.Rank{4, 5, "JOB_COMPLETION_INDEX and WORLD_SIZE"}, false},
		{"WORLD_SIZE of one", map[string]string{"WORLD_SIZE": "1"}, order.Rank{}, false},
		{"no world", map[string]string{"RANK": "3"}, order.Rank{}, true},
		{"no rank", map[string]string{"WORLD_SIZE": "3"}, order.Rank{}, true},
		{"Kubernetes without a world", map[string]string{"JOB_COMPLETION_INDEX": "4"}, order.Rank{}, true},
		{"beyond the world", map[string]string{"RANK": "8", "WORLD_SIZE": "8"}, order.Rank{}, true},
		{"negative", map[string]string{"RANK": "-1", "WORLD_SIZE": "8"}, order.Rank{}, true},
		{"no number", map[string]string{"RANK": "one", "WORLD_SIZE": "8"}, order.Rank{}, true},
		{"empty", map[string]string{"RANK": "", "WORLD_SIZE": ""}, order.Rank{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := order.RankFrom(func(name string) (string, bool) {
				value, ok := c.env[name]
				return value, ok
			})
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.bad, err != nil, "%v", err)
			assert.NoError(t, got.Validate())
		})
	}
	for _, r := range []order.Rank{{Index: 1}, {Index: -1}, {World: -1}, {Index: 2, World: 2}} {
		assert.Error(t, r.Validate())
	}
	assert.Equal(t, "rank 0 of 1", order.Rank{}.String())
}
