#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "failure.h"
#include "within.h"

CUresult spool_cuda_module(const spool_cuda *d, CUcontext c, const char *ptx, uintptr_t *out, spool_cuda_failure *f)
{
    char log[SPOOL_CUDA_LOG] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    const CUresult code = WITHIN(cuModuleLoadDataEx, (CUmodule *)out, ptx, 2, options, values);
    const size_t end = strlen(f->text);

    if (code != CUDA_SUCCESS && log[0])
        snprintf(f->text + end, sizeof f->text - end, ": %s", log);
    return code;
}

CUresult spool_cuda_close_module(const spool_cuda *d, CUcontext c, uintptr_t module, spool_cuda_failure *f)
{
    return ENDING(cuModuleUnload, (CUmodule)module);
}

CUresult spool_cuda_function(const spool_cuda *d, CUcontext c, uintptr_t module, const char *name, uintptr_t *out,
                             spool_cuda_failure *f)
{
    return WITHIN(cuModuleGetFunction, (CUfunction *)out, (CUmodule)module, name);
}

CUresult spool_cuda_launch(const spool_cuda *d, CUcontext c, uintptr_t function, unsigned int width,
                           unsigned int height, unsigned int threads, uintptr_t stream, void *parameters, size_t size,
                           spool_cuda_failure *f)
{
    void *extra[] = {(void *)(uintptr_t)CU_LAUNCH_PARAM_BUFFER_POINTER, parameters,
                     (void *)(uintptr_t)CU_LAUNCH_PARAM_BUFFER_SIZE, &size, NULL};

    return WITHIN(cuLaunchKernel, (CUfunction)function, width, height, 1, threads, 1, 1, 0, (CUstream)stream, NULL,
                  extra);
}
