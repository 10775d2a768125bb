//go:build unix

package openblas

/*
#cgo linux LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static int (*get_threads)(void);
static void (*set_threads)(int);

// Looks for what OpenBLAS has beyond a CBLAS, and returns 1 if its threads are its own. With OpenMP the
// number is one of each thread that calls, which cannot be set for all.
static int find_threads(void) {
	int (*kind)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "openblas_get_parallel");
	get_threads = (int (*)(void))dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
	set_threads = (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
	return kind != NULL && get_threads != NULL && set_threads != NULL && kind() == 1;
}

static int threads(void) { return get_threads(); }

static void use_threads(int n) { set_threads(n); }
*/
import "C"

import "github.com/kernelearn/kernelearn/internal/parallel"

// ownThreads reports whether the BLAS library is OpenBLAS and manages its own threads.
var ownThreads = C.find_threads() == 1

func threads() int { return int(C.threads()) }

func useThreads(n int) { C.use_threads(C.int(n)) }

// outside is the number of threads that OpenBLAS uses outside the library's tasks.
var outside int

// surroundTasks limits OpenBLAS to the calling thread while the library's own goroutines run concurrently.
func surroundTasks() {
	if !ownThreads {
		return
	}
	parallel.OnParallel(func() {
		outside = threads()
		useThreads(1)
	}, func() { useThreads(outside) })
}
