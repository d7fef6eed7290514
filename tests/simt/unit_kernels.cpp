#include "unit_kernels.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tilestep::test {
namespace {

constexpr const char* kHelpers = R"(
struct alignas(64) TensorMap { unsigned long long words[16]; };
using Mbarrier = unsigned long long;
__device__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(Mbarrier& b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(place(&b)), "r"(n) : "memory");
}
__device__ void announce(Mbarrier& b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(place(&b)),
               "r"(bytes) : "memory");
}
__device__ void wait(Mbarrier& b, int parity) {
  unsigned over = 0;
  while (over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(place(&b)), "r"(parity) : "memory");
  }
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
)";

// Replaces every `name` by `value`.
void put(std::string& text, const std::string& name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
}

template <class T>
void fill(problem::Buffer& buffer, const std::vector<T>& values) {
  std::ranges::copy(std::as_bytes(std::span(values)), buffer.contents.begin());
}

// {%0, %1, …} and "+r"(d[0]), …: for a wgmma with that many registers of D.
std::string instruction(const Warpgroup& shape) {
  const int registers = shape.columns / 2;
  std::string places;
  std::string operands;
  for (int r = 0; r < registers; ++r) {
    places += (r == 0 ? "%" : ", %") + std::to_string(r);
    operands += (r == 0 ? "" : ", ") + std::string("\"+r\"(d[") + std::to_string(r) + "])";
  }
  const auto operand = [&](int k) { return "%" + std::to_string(registers + k); };
  const std::string a = shape.in_registers ? "{" + operand(0) + ", " + operand(1) + ", " +
                                                 operand(2) + ", " + operand(3) + "}"
                                           : operand(0);
  const int next = shape.in_registers ? 4 : 1;
  return "asm volatile(\"{ .reg .pred p; setp.ne.b32 p, " + operand(next + 1) +
         ", 0; wgmma.mma_async.sync.aligned.m64n" + std::to_string(shape.columns) +
         "k8.f32.tf32.tf32 {" + places + "}, " + a + ", " + operand(next) + ", p, " +
         std::to_string(shape.scale_a) + ", " + std::to_string(shape.scale_b) +
         "; }\" : " + operands + " : " +
         (shape.in_registers ? R"("r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]))" : R"("l"(from_a))") +
         ", \"l\"(from_b), \"r\"(" + (shape.adds ? "1" : "0") + "));";
}

constexpr const char* kWarpgroup = R"(
// Where element (row, k) of a factor lies, and how the descriptor says it.
__device__ unsigned offset(int row, int k) {
  if (SWIZZLE == 0) {
    return k / 4 * 128 + row / 8 * 256 + row % 8 * 16 + k % 4 * 4;
  }
  unsigned at = row / 8 * (8 * SWIZZLE) + row % 8 * SWIZZLE + BEGIN * 32 + k * 4;
  return at ^ (at >> 7 & (SWIZZLE / 16 - 1)) << 4;
}
__device__ unsigned long long descriptor(const void* p) {
  unsigned long long mode = SWIZZLE == 128 ? 1 : SWIZZLE == 64 ? 2 : SWIZZLE == 32 ? 3 : 0;
  unsigned long long begin = place(p) + (SWIZZLE == 0 ? 0 : BEGIN * 32);
  return (begin & 0x3ffff) >> 4 | (128ULL >> 4) << 16 |
         ((SWIZZLE == 0 ? 256ULL : 8 * SWIZZLE) >> 4) << 32 | mode << 62;
}
extern "C" __global__ void __launch_bounds__(128)
    kernel(const unsigned* A, const unsigned* B, const unsigned* C, unsigned* D) {
  __shared__ __align__(1024) char As[64 * 128];
  __shared__ __align__(1024) char Bs[N * 128];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  A += blockIdx.x * 64 * 8;
  B += blockIdx.x * N * 8;
  C += blockIdx.x * 64 * N;
  D += blockIdx.x * 64 * N;
  for (int i = t; i < 64 * 8; i += 128) {
    *(unsigned*)(As + offset(i / 8, i % 8)) = A[i];
  }
  for (int i = t; i < N * 8; i += 128) {
    *(unsigned*)(Bs + offset(i / 8, i % 8)) = B[i];
  }
  fence();
  __syncthreads();
  unsigned a[4], d[N / 2];
  for (int e = 0; e < 4; ++e) {
    a[e] = A[(warp * 16 + lane / 4 + e % 2 * 8) * 8 + lane % 4 + e / 2 * 4];
  }
#pragma unroll
  for (int e = 0; e < N / 2; ++e) {
    d[e] = C[(warp * 16 + lane / 4 + e % 4 / 2 * 8) * N + e / 4 * 8 + lane % 4 * 2 + e % 2];
  }
  unsigned long long from_a = descriptor(As), from_b = descriptor(Bs);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  INSTRUCTION
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int e = 0; e < N / 2; ++e) {
    D[(warp * 16 + lane / 4 + e % 4 / 2 * 8) * N + e / 4 * 8 + lane % 4 * 2 + e % 2] = d[e];
  }
  if (from_a == 1 && a[0] == 1) D[0] = 0;
}
)";

constexpr const char* kBoxes = R"(
extern "C" __global__ void kernel(const __grid_constant__ TensorMap in,
                                  const __grid_constant__ TensorMap back, const int* where,
                                  float* out) {
  __shared__ __align__(1024) float box[WORDS];
  __shared__ Mbarrier barrier;
  int col = where[2 * blockIdx.x], row = where[2 * blockIdx.x + 1];
  if (threadIdx.x == 0) {
    init(barrier, 1);
    fence();
    announce(barrier, WORDS * 4);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" :: "r"(place(box)), "l"(&in), "r"(col), "r"(row),
                 "r"(place(&barrier)) : "memory");
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < WORDS; i += 32) {
    out[blockIdx.x * WORDS + i] = box[i];
  }
  __syncthreads();
  if (threadIdx.x == 0 && col >= 0 && row >= 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&back), "r"(col), "r"(row), "r"(place(box)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
)";

constexpr const char* kBulk = R"(
extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ __align__(16) float numbers[WORDS];
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    init(barrier, 1);
    fence();
    announce(barrier, WORDS * 4);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" :: "r"(place(numbers)), "l"(in), "r"(WORDS * 4),
                 "r"(place(&barrier)) : "memory");
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < WORDS; i += 32) {
    numbers[i] += 1;
  }
  fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out),
                 "r"(place(numbers)), "r"(WORDS * 4) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
)";

}  // namespace

problem::Launch warpgroup_launch(const Warpgroup& shape, int blocks,
                                 const std::vector<std::uint32_t>& a,
                                 const std::vector<std::uint32_t>& b,
                                 const std::vector<std::uint32_t>& c) {
  OwnKernel kernel;
  std::string body = kWarpgroup;
  put(body, "INSTRUCTION", instruction(shape));
  kernel.source = "constexpr int N = " + std::to_string(shape.columns) +
                  ", SWIZZLE = " + std::to_string(shape.swizzle) +
                  ", BEGIN = " + std::to_string(shape.begin) + ";" + kHelpers + body;
  kernel.grid.x = static_cast<std::uint32_t>(blocks);
  kernel.block.x = 128;
  kernel.buffers = {{"a", blocks * 64 * 8},
                    {"b", blocks * shape.columns * 8},
                    {"c", blocks * 64 * shape.columns},
                    {"d", blocks * 64 * shape.columns}};
  problem::Launch launch = launch_of(kernel);
  launch.architecture = "90a";
  fill(launch.buffers[0], a);
  fill(launch.buffers[1], b);
  fill(launch.buffers[2], c);
  return launch;
}

problem::Launch boxes_launch(const Boxes& boxes, const std::vector<int>& where) {
  const int words = boxes.box_rows * boxes.box_cols;
  const auto blocks = static_cast<int>(where.size() / 2);
  OwnKernel kernel;
  std::string body = kBoxes;
  put(body, "WORDS", std::to_string(words));
  kernel.source = kHelpers + body;
  kernel.grid.x = static_cast<std::uint32_t>(blocks);
  kernel.buffers = {{"in", boxes.rows * boxes.pitch},
                    {"back", boxes.rows * boxes.pitch},
                    {"where", blocks * 2},
                    {"out", blocks * words}};
  problem::Launch launch = launch_of(kernel);
  launch.architecture = "90a";
  std::vector<float> numbers(launch.buffers[0].contents.size() / 4);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  fill(launch.buffers[0], numbers);
  fill(launch.buffers[2], where);
  for (std::size_t i = 0; i < 2; ++i) {
    launch.buffers[i].rows = boxes.rows;
    launch.buffers[i].cols = boxes.cols;
    launch.buffers[i].pitch = boxes.pitch;
    launch.arguments[i].kind = problem::ArgumentSpec::Kind::TensorMap;
    problem::TensorMap& map = launch.arguments[i].map;
    map.rows = static_cast<std::uint32_t>(boxes.rows);
    map.cols = static_cast<std::uint32_t>(boxes.cols);
    map.row_bytes = static_cast<std::uint64_t>(boxes.pitch) * 4;
    map.box_rows = static_cast<std::uint32_t>(boxes.box_rows);
    map.box_cols = static_cast<std::uint32_t>(boxes.box_cols);
    map.swizzle = static_cast<std::uint32_t>(boxes.swizzle);
  }
  return launch;
}

problem::Launch bulk_launch(int words) {
  OwnKernel kernel;
  std::string body = kBulk;
  put(body, "WORDS", std::to_string(words));
  kernel.source = kHelpers + body;
  kernel.buffers = {{"in", words}, {"out", words}};
  problem::Launch launch = launch_of(kernel);
  launch.architecture = "90a";
  std::vector<float> numbers(static_cast<std::size_t>(words));
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  fill(launch.buffers[0], numbers);
  return launch;
}

}  // namespace tilestep::test
