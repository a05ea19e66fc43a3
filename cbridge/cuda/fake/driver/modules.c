#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "streams.h"

/* A kernel, freed with its module. */
struct CUfunc_st {
    CUfunction next;
    const kernel *kernel;
};

struct CUmod_st {
    CUmodule next;
    CUcontext context;
    CUfunction functions;
    char *text;
};

static CUmodule modules;

int modules_of(CUcontext c)
{
    int n = 0;

    for (CUmodule m = modules; m; m = m->next)
        n += m->context == c;
    return n;
}

static CUmodule module_there(CUmodule module)
{
    for (CUmodule m = modules; m; m = m->next)
        if (m == module)
            return m;
    violate("a module is used that does not exist");
    return NULL;
}

/* Checks the first lines of PTX, as a driver of CUDA 11.0 does for a device of capability 8.6. */
static CUresult compile(const char *text, const char **complaint)
{
    int major, minor, target;
    const char *version = strstr(text, "\n.version "), *device = strstr(text, "\n.target sm_");

    if (!version || !device || sscanf(version, "\n.version %d.%d", &major, &minor) != 2 ||
        sscanf(device, "\n.target sm_%d", &target) != 1) {
        *complaint = "ptxas fatal   : this is no PTX";
        return CUDA_ERROR_INVALID_PTX;
    }
    if (major > 7 || (major == 7 && minor > 0)) {
        *complaint = "ptxas fatal   : Unsupported .version";
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    *complaint = "";
    return target > 86 ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count, CUjit_option *options, void **values)
{
    CUcontext c;
    const char *complaint;
    char *log = NULL;
    size_t room = 0;
    CUresult code = begin_in_context("cuModuleLoadDataEx", &c);

    if (!code)
        code = compile(image, &complaint);
    else
        complaint = "";
    for (unsigned int i = 0; i < count; i++)
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
        else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            room = (size_t)values[i];
    if (log)
        snprintf(log, room, "%s", complaint);
    if (code)
        return end(code);
    CUmodule m = calloc(1, sizeof *m);
    char *text = strdup(image);
    if (!m || !text)
        abort();
    *m = (struct CUmod_st){.next = modules, .context = c, .text = text};
    modules = *out = m;
    fake.counters.modules++;
    return end(CUDA_SUCCESS);
}

CUresult cuModuleUnload(CUmodule module)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuModuleUnload", &c);
    CUmodule *at = &modules, m = module_there(module);

    if (!m)
        return end(CUDA_ERROR_INVALID_HANDLE);
    if (!fake.lost && !untouched((uintptr_t)m, 1))
        violate("a module is unloaded while one of its kernels may run");
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    while (m->functions) {
        CUfunction f = m->functions;
        m->functions = f->next;
        free(f);
    }
    free(m->text);
    free(m);
    fake.counters.modules--;
    return end(code);
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuModuleGetFunction", &c);
    char entry[100];

    if (code)
        return end(code);
    CUmodule m = module_there(module);
    if (!m)
        return end(CUDA_ERROR_INVALID_HANDLE);
    snprintf(entry, sizeof entry, ".visible .entry %s(", name);
    if (!strstr(m->text, entry))
        return end(CUDA_ERROR_NOT_FOUND);
    CUfunction f = calloc(1, sizeof *f);
    if (!f)
        abort();
    *f = (struct CUfunc_st){m->functions, kernel_named(name)};
    if (!f->kernel)
        violate("%s is not a kernel of the simulated driver", name);
    m->functions = *out = f;
    return end(CUDA_SUCCESS);
}

static CUmodule module_with(CUfunction function)
{
    for (CUmodule m = modules; m; m = m->next)
        for (CUfunction f = m->functions; f; f = f->next)
            if (f == function)
                return m;
    violate("a kernel is launched that does not exist");
    return NULL;
}

static void run(void *bytes, void *argument)
{
    if (bytes)
        run_kernel(argument);
    free(argument);
}

/* Queues a launch with valid parameters. */
static CUresult start(stream *s, CUmodule m, launch *l)
{
    array arrays[MAX_ARRAYS];
    const int count = l->kernel->arrays;

    l->kernel->reach(l, arrays);
    for (int i = 0; i < count; i++) {
        const block *b = block_at(arrays[i].address, arrays[i].size);
        if (!b) {
            violate("%s accesses bytes outside allocated device memory", l->kernel->name);
            free(l);
            return CUDA_ERROR_INVALID_VALUE;
        }
        l->at[i] = b->bytes + (arrays[i].address - b->address);
        if (arrays[i].writes && untouched(arrays[i].address, arrays[i].size))
            memset(l->at[i], 0xDB, arrays[i].size); /* shows elements that the kernel does not write */
    }
    operation *o = queue(s, WORK);
    o->device = l->at[0];
    o->work = run;
    o->argument = l;
    for (int i = 0; i < count; i++)
        touch(s->clock, s->id, arrays[i].writes, arrays[i].address, arrays[i].size, l->kernel->name);
    touch(s->clock, s->id, 0, (uintptr_t)m, 1, l->kernel->name);
    fake.counters.launches++;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int width, unsigned int height, unsigned int depth, unsigned int threads,
                        unsigned int rows, unsigned int layers, unsigned int shared, CUstream handle, void **parameters,
                        void **extra)
{
    CUcontext c;
    const CUresult code = begin_in_context("cuLaunchKernel", &c);
    const void *block = NULL;
    size_t size = 0;

    if (code)
        return end(code);
    stream *s = stream_of(c, handle);
    CUmodule m = module_with(f);
    if (!s || !m || m->context != c || !f->kernel)
        return end(CUDA_ERROR_INVALID_HANDLE);
    for (; extra && *extra; extra += 2)
        if (*extra == (void *)CU_LAUNCH_PARAM_BUFFER_POINTER)
            block = extra[1];
        else
            size = *(const size_t *)extra[1];
    if (parameters || shared || depth != 1 || rows != 1 || layers != 1 || width < 1 || width > 0x7fffffff ||
        height < 1 || height > 65535 || threads < 1 || threads > 1024 || size != f->kernel->size)
        return end(CUDA_ERROR_INVALID_VALUE);
    launch *l = calloc(1, sizeof *l + size);
    if (!l)
        abort();
    *l = (launch){.kernel = f->kernel, .width = width, .height = height, .threads = threads};
    memcpy(l->parameters, block, size);
    return end(start(s, m, l));
}
