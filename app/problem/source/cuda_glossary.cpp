#include "problem/source/cuda_glossary.h"

#include <algorithm>
#include <array>

namespace tilestep::problem {
namespace {

// The CUDA C++ Programming Guide's chapters by title: their numbers change from release to release.
constexpr std::string_view kFunctionSpecifiers =
    "CUDA C++ Programming Guide, Function Execution Space Specifiers";
constexpr std::string_view kMemorySpecifiers =
    "CUDA C++ Programming Guide, Variable Memory Space Specifiers";
constexpr std::string_view kBuiltIns = "CUDA C++ Programming Guide, Built-in Variables";
constexpr std::string_view kVectorTypes = "CUDA C++ Programming Guide, Built-in Vector Types";
constexpr std::string_view kBarriers = "CUDA C++ Programming Guide, Synchronization Functions";
constexpr std::string_view kFences = "CUDA C++ Programming Guide, Memory Fence Functions";
constexpr std::string_view kAtomics = "CUDA C++ Programming Guide, Atomic Functions";
constexpr std::string_view kShuffles = "CUDA C++ Programming Guide, Warp Shuffle Functions";
constexpr std::string_view kVotes = "CUDA C++ Programming Guide, Warp Vote Functions";
constexpr std::string_view kMath = "CUDA C++ Programming Guide, Mathematical Functions";
constexpr std::string_view kCacheHints =
    "CUDA C++ Programming Guide, Load Functions Using Cache Hints";
constexpr std::string_view kMatrix = "CUDA C++ Programming Guide, Warp Matrix Functions";
constexpr std::string_view kGroups = "CUDA C++ Programming Guide, Cooperative Groups";
constexpr std::string_view kCopies = "CUDA C++ Programming Guide, Asynchronous Data Copies";
constexpr std::string_view kMathApi = "CUDA Math API, Type Casting Intrinsics";
constexpr std::string_view kHalves = "CUDA Math API, Half Precision Intrinsics";

constexpr std::array kTerms{
    // what a function and a variable are
    CudaTerm{"__global__", "__global__ void kernel(…)",
             Message("A kernel: the host launches it, and every thread of the grid executes it."),
             kFunctionSpecifiers},
    CudaTerm{"__device__", "__device__ float f(…)",
             Message("A function that code on the GPU calls, or a variable in global memory."),
             kFunctionSpecifiers},
    CudaTerm{"__host__", "__host__ void f(…)", Message("A function that runs on the CPU."),
             kFunctionSpecifiers},
    CudaTerm{"__forceinline__", "__forceinline__ __device__ float f(…)",
             Message("The compiler puts the function's code where it is called."),
             "CUDA C++ Programming Guide, Inline Specifiers"},
    CudaTerm{"__noinline__", "__noinline__ __device__ float f(…)",
             Message("The compiler keeps the function as one that is called."),
             "CUDA C++ Programming Guide, Inline Specifiers"},
    CudaTerm{
        "__shared__", "__shared__ float As[16][16];",
        Message("Shared memory: one copy for each block, which all of its threads read and store."),
        kMemorySpecifiers},
    CudaTerm{
        "__constant__", "__constant__ float weights[64];",
        Message("Constant memory: the host fills it, kernels read it through a cache of its own."),
        kMemorySpecifiers},
    CudaTerm{"__managed__", "__managed__ int n;",
             Message("A variable that host and GPU use at one address."), kMemorySpecifiers},
    CudaTerm{
        "__restrict__", "const float* __restrict__ A",
        Message(
            "Promises that no other pointer of the function leads to the same data, so that loads "
            "may be kept and moved."),
        "CUDA C++ Programming Guide, __restrict__"},
    CudaTerm{
        "__launch_bounds__", "__launch_bounds__(most threads of a block, least blocks an SM)",
        Message("Tells the compiler how large blocks get, which bounds the registers of a thread."),
        "CUDA C++ Programming Guide, Launch Bounds"},
    CudaTerm{"__grid_constant__", "const __grid_constant__ Map map",
             Message("A parameter that kernels read where it is, without a copy for each thread."),
             "CUDA C++ Programming Guide, __grid_constant__"},
    CudaTerm{"__align__", "__shared__ __align__(1024) float tile[256];",
             Message("The address of the variable is a multiple of so many bytes."),
             "CUDA C++ Programming Guide, Built-in Vector Types"},
    CudaTerm{"extern", "extern __shared__ float tile[];",
             Message("Before __shared__: an array whose size in bytes the launch gives."),
             kMemorySpecifiers},
    CudaTerm{
        "volatile", "volatile float* p",
        Message("Every access in the text is an access of memory: none is kept in a register."),
        "CUDA C++ Programming Guide, Volatile Qualifier"},
    CudaTerm{
        "unroll", "#pragma unroll",
        Message(
            "The compiler writes the loop's body once for each of its rounds, so that indices are "
            "constants."),
        "CUDA C++ Programming Guide, #pragma unroll"},
    CudaTerm{"asm", "asm volatile(\"instruction;\" : outputs : inputs)",
             Message("PTX instructions in the text."), "Inline PTX Assembly in CUDA"},
    // where a thread is
    CudaTerm{"threadIdx", "threadIdx.x, .y, .z",
             Message("The thread's place in its block, from 0; x is the fastest within a warp."),
             kBuiltIns},
    CudaTerm{"blockIdx", "blockIdx.x, .y, .z", Message("The block's place in the grid, from 0."),
             kBuiltIns},
    CudaTerm{"blockDim", "blockDim.x, .y, .z", Message("Threads of a block along each axis."),
             kBuiltIns},
    CudaTerm{"gridDim", "gridDim.x, .y, .z", Message("Blocks of the grid along each axis."),
             kBuiltIns},
    CudaTerm{"warpSize", "warpSize", Message("Lanes of a warp: 32 on every GPU so far."),
             kBuiltIns},
    CudaTerm{"dim3", "dim3 block(x, y, z);", Message("Three sizes; those that are left out are 1."),
             kVectorTypes},
    CudaTerm{"float4", "float4 v; v.x, v.y, v.z, v.w",
             Message("Numbers side by side, aligned to their size (at most 16 bytes), so that one "
                     "instruction loads or stores all of them."),
             kVectorTypes},
    CudaTerm{"make_float4", "float4 make_float4(x, y, z, w)",
             Message("Makes a vector of its numbers."), kVectorTypes},
    // waiting for others
    CudaTerm{
        "__syncthreads", "void __syncthreads()",
        Message(
            "A barrier: no thread of the block goes on before all of them are here, and then all "
            "see what the others stored."),
        kBarriers},
    CudaTerm{"__syncthreads_count", "int __syncthreads_count(int predicate)",
             Message("A barrier that returns for how many threads the predicate is not 0."),
             kBarriers},
    CudaTerm{"__syncthreads_and", "int __syncthreads_and(int predicate)",
             Message("A barrier that returns whether the predicate is not 0 for all threads."),
             kBarriers},
    CudaTerm{"__syncthreads_or", "int __syncthreads_or(int predicate)",
             Message("A barrier that returns whether the predicate is not 0 for any thread."),
             kBarriers},
    CudaTerm{"__syncwarp", "void __syncwarp(unsigned mask = 0xffffffff)",
             Message("A barrier of the warp's lanes that are in the mask."), kBarriers},
    CudaTerm{
        "__threadfence", "void __threadfence()",
        Message("What the thread stored before is seen by all threads of the GPU before what it "
                "stores afterwards. Waits for nobody."),
        kFences},
    CudaTerm{"__threadfence_block", "void __threadfence_block()",
             Message("As __threadfence(), for the threads of the block."), kFences},
    CudaTerm{"__threadfence_system", "void __threadfence_system()",
             Message("As __threadfence(), for the host and other GPUs, too."), kFences},
    // one at a time
    CudaTerm{
        "atomicAdd", "T atomicAdd(T* address, T value)",
        Message("Adds to memory in one step that no other thread can come into; returns what was "
                "there before."),
        kAtomics},
    CudaTerm{"atomicSub", "int atomicSub(int* address, int value)",
             Message("Subtracts from memory in one step; returns what was there before."),
             kAtomics},
    CudaTerm{"atomicMax", "T atomicMax(T* address, T value)",
             Message("Stores the larger of the two in one step; returns what was there before."),
             kAtomics},
    CudaTerm{"atomicMin", "T atomicMin(T* address, T value)",
             Message("Stores the smaller of the two in one step; returns what was there before."),
             kAtomics},
    CudaTerm{"atomicExch", "T atomicExch(T* address, T value)",
             Message("Stores a value in one step; returns what was there before."), kAtomics},
    CudaTerm{
        "atomicCAS", "T atomicCAS(T* address, T compare, T value)",
        Message(
            "Stores the value if `compare` is there, in one step; returns what was there before."),
        kAtomics},
    CudaTerm{
        "atomicInc", "unsigned atomicInc(unsigned* address, unsigned last)",
        Message("Adds 1, or stores 0 after `last`, in one step; returns what was there before."),
        kAtomics},
    CudaTerm{
        "atomicDec", "unsigned atomicDec(unsigned* address, unsigned last)",
        Message(
            "Subtracts 1, or stores `last` after 0, in one step; returns what was there before."),
        kAtomics},
    CudaTerm{"atomicAnd", "int atomicAnd(int* address, int value)",
             Message("Ands bits in memory in one step; returns what was there before."), kAtomics},
    CudaTerm{"atomicOr", "int atomicOr(int* address, int value)",
             Message("Ors bits in memory in one step; returns what was there before."), kAtomics},
    CudaTerm{"atomicXor", "int atomicXor(int* address, int value)",
             Message("Flips bits in memory in one step; returns what was there before."), kAtomics},
    // among the lanes of a warp
    CudaTerm{"__shfl_sync", "T __shfl_sync(unsigned mask, T value, int lane, int width = 32)",
             Message("Returns the value that another lane of the warp passes."), kShuffles},
    CudaTerm{
        "__shfl_down_sync",
        "T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)",
        Message(
            "Returns the value of the lane that is `by` further; the last lanes get their own."),
        kShuffles},
    CudaTerm{
        "__shfl_up_sync", "T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)",
        Message(
            "Returns the value of the lane that is `by` before; the first lanes get their own."),
        kShuffles},
    CudaTerm{
        "__shfl_xor_sync", "T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)",
        Message("Returns the value of the lane whose number differs in these bits."), kShuffles},
    CudaTerm{"__ballot_sync", "unsigned __ballot_sync(unsigned mask, int predicate)",
             Message("Returns a bit for each lane: whether its predicate is not 0."), kVotes},
    CudaTerm{"__any_sync", "int __any_sync(unsigned mask, int predicate)",
             Message("Returns whether the predicate is not 0 for any lane in the mask."), kVotes},
    CudaTerm{"__all_sync", "int __all_sync(unsigned mask, int predicate)",
             Message("Returns whether the predicate is not 0 for all lanes in the mask."), kVotes},
    CudaTerm{"__activemask", "unsigned __activemask()",
             Message("Returns a bit for each lane that executes this now."), kVotes},
    CudaTerm{"__popc", "int __popc(unsigned x)", Message("Counts the bits that are 1."),
             "CUDA Math API, Integer Intrinsics"},
    CudaTerm{
        "__ffs", "int __ffs(int x)",
        Message("Returns the place of the lowest bit that is 1, from 1; 0 where there is none."),
        "CUDA Math API, Integer Intrinsics"},
    CudaTerm{"__clz", "int __clz(int x)",
             Message("Counts the zeros above the highest bit that is 1."),
             "CUDA Math API, Integer Intrinsics"},
    // loads, stores, copies
    CudaTerm{
        "__ldg", "T __ldg(const T* address)",
        Message("Loads through the cache of read-only data (ld.global.nc): nobody may store there "
                "while the kernel runs."),
        "CUDA C++ Programming Guide, Read-Only Data Cache Load Function"},
    CudaTerm{
        "__ldcg", "T __ldcg(const T* address)",
        Message("Loads from the L2 cache, past L1: sees what other blocks stored (ld.global.cg)."),
        kCacheHints},
    CudaTerm{"__ldca", "T __ldca(const T* address)",
             Message("Loads through L1 and L2 (ld.global.ca)."), kCacheHints},
    CudaTerm{"__ldcs", "T __ldcs(const T* address)",
             Message("Loads what is used once: the caches drop it first (ld.global.cs)."),
             kCacheHints},
    CudaTerm{"__ldcv", "T __ldcv(const T* address)",
             Message("Loads anew from memory, past every copy (ld.global.cv)."), kCacheHints},
    CudaTerm{"__stcg", "void __stcg(T* address, T value)",
             Message("Stores to L2, past L1 (st.global.cg)."),
             "CUDA C++ Programming Guide, Store Functions Using Cache Hints"},
    CudaTerm{"__stcs", "void __stcs(T* address, T value)",
             Message("Stores what is not used again soon (st.global.cs)."),
             "CUDA C++ Programming Guide, Store Functions Using Cache Hints"},
    CudaTerm{
        "__cvta_generic_to_shared", "size_t __cvta_generic_to_shared(const void* p)",
        Message("The address within shared memory, as PTX instructions of shared memory take it."),
        "CUDA C++ Programming Guide, Address Space Conversion Functions"},
    CudaTerm{
        "__pipeline_memcpy_async",
        "void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes)",
        Message(
            "Begins a copy from global to shared memory that goes on beside the code (cp.async)."),
        kCopies},
    CudaTerm{"__pipeline_commit", "void __pipeline_commit()",
             Message("Closes the group of the copies that were begun (cp.async.commit_group)."),
             kCopies},
    CudaTerm{"__pipeline_wait_prior", "void __pipeline_wait_prior(size_t groups)",
             Message("Waits until at most so many of the latest groups of copies are on their way "
                     "(cp.async.wait_group)."),
             kCopies},
    // numbers
    CudaTerm{"fmaf", "float fmaf(float a, float b, float c)",
             Message("a·b + c with one rounding: a fused multiply-add."), kMath},
    CudaTerm{"fma", "double fma(double a, double b, double c)",
             Message("a·b + c with one rounding: a fused multiply-add."), kMath},
    CudaTerm{"__fmaf_rn", "float __fmaf_rn(float a, float b, float c)",
             Message("a·b + c with one rounding, to the nearest."), kMath},
    CudaTerm{"__fadd_rn", "float __fadd_rn(float a, float b)",
             Message("a + b, which the compiler does not join with a product."), kMath},
    CudaTerm{"__fmul_rn", "float __fmul_rn(float a, float b)",
             Message("a·b, which the compiler does not join with a sum."), kMath},
    CudaTerm{"__fdividef", "float __fdividef(float a, float b)",
             Message("a / b, fast, less exact."), kMath},
    CudaTerm{"__expf", "float __expf(float x)", Message("e to the power of x, fast, less exact."),
             kMath},
    CudaTerm{"rsqrtf", "float rsqrtf(float x)", Message("1 / √x."), kMath},
    CudaTerm{"sqrtf", "float sqrtf(float x)", Message("√x."), kMath},
    CudaTerm{"expf", "float expf(float x)", Message("e to the power of x."), kMath},
    CudaTerm{"fmaxf", "float fmaxf(float a, float b)",
             Message("The larger of the two; not NaN if one is a "
                     "number."),
             kMath},
    CudaTerm{"fminf", "float fminf(float a, float b)",
             Message("The smaller of the two; not NaN if one is "
                     "a number."),
             kMath},
    CudaTerm{"fabsf", "float fabsf(float x)", Message("x without its sign."), kMath},
    CudaTerm{"min", "T min(T a, T b)", Message("The smaller of the two."), kMath},
    CudaTerm{"max", "T max(T a, T b)", Message("The larger of the two."), kMath},
    CudaTerm{"__mul24", "int __mul24(int a, int b)",
             Message("The product of the low 24 bits of both; no faster than a·b on today's GPUs."),
             "CUDA Math API, Integer Intrinsics"},
    CudaTerm{"__float_as_uint", "unsigned __float_as_uint(float x)",
             Message("The bits of a float, unchanged, as an integer."), kMathApi},
    CudaTerm{"__uint_as_float", "float __uint_as_float(unsigned x)",
             Message("These bits, unchanged, as a float."), kMathApi},
    CudaTerm{"__float_as_int", "int __float_as_int(float x)",
             Message("The bits of a float, unchanged, as an integer."), kMathApi},
    CudaTerm{"__int_as_float", "float __int_as_float(int x)",
             Message("These bits, unchanged, as a float."), kMathApi},
    CudaTerm{"half", "half x", Message("A float of 16 bits: 11 bits exact, up to 65,504."),
             kHalves},
    CudaTerm{"__half2float", "float __half2float(half x)", Message("A half as a float, exactly."),
             kHalves},
    CudaTerm{"__float2half", "half __float2half(float x)", Message("A float rounded to a half."),
             kHalves},
    CudaTerm{
        "wmma", "nvcuda::wmma",
        Message("Products of small matrices by all lanes of a warp together, on tensor cores."),
        kMatrix},
    CudaTerm{"cooperative_groups", "namespace cg = cooperative_groups;",
             Message("Groups of threads as objects, with barriers of their own."), kGroups},
    CudaTerm{"this_grid", "cg::grid_group cg::this_grid()",
             Message("All threads of a cooperative launch; sync() is a barrier of the whole grid."),
             kGroups},
    CudaTerm{"this_thread_block", "cg::thread_block cg::this_thread_block()",
             Message("The threads of the block; sync() is __syncthreads()."), kGroups},
    // what helps to find mistakes
    CudaTerm{"printf", "int printf(const char* format, …)",
             Message("Prints from a kernel; the host shows it when it waits for the GPU."),
             "CUDA C++ Programming Guide, Formatted Output"},
    CudaTerm{"assert", "void assert(int condition)",
             Message("Stops the kernel with an error where the condition is 0."),
             "CUDA C++ Programming Guide, Assertion"},
    CudaTerm{"clock64", "long long clock64()", Message("The multiprocessor's clock cycles so far."),
             "CUDA C++ Programming Guide, Time Function"},
};

// "float", "int", "uint", … and then 1 to 4.
bool is_vector_type(std::string_view word) {
  constexpr std::string_view kOf[] = {"float", "double", "int",  "uint",  "char",     "uchar",
                                      "short", "ushort", "long", "ulong", "longlong", "ulonglong"};
  return !word.empty() && word.back() >= '1' && word.back() <= '4' &&
         std::ranges::find(kOf, word.substr(0, word.size() - 1)) != std::end(kOf);
}

}  // namespace

std::span<const CudaTerm> cuda_terms() {
  return kTerms;
}

const CudaTerm* find_cuda_term(std::string_view word) {
  constexpr std::string_view kMake = "make_";
  if (is_vector_type(word)) {
    word = "float4";
  } else if (word.starts_with(kMake) && is_vector_type(word.substr(kMake.size()))) {
    word = "make_float4";
  } else if (word == "__half") {
    word = "half";
  }
  const auto found = std::ranges::find(kTerms, word, &CudaTerm::word);
  return found == kTerms.end() ? nullptr : &*found;
}

}  // namespace tilestep::problem
