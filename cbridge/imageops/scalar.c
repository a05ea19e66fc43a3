/* The kernels for any machine. */
#define OPS spool_ops_scalar
#define NAME "scalar"
#include "kernels.h"
