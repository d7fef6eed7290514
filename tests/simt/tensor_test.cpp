// Matrix operations of a warp against plain triple loops. Elements are small integers, so that
// every order of additions gives the same sums.
#include "own_kernels.h"
#include "simt/exec/convert_semantics.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

// Helpers for kernel texts: mma.sync's fragment layouts from PTX ISA 9.0, 9.7.14.5.
constexpr const char* kText = R"(
__device__ unsigned half_of(int v) {
  unsigned short h;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"(v));
  return h;
}
__device__ unsigned bfloat_of(int v) { return __float_as_uint((float)v) >> 16; }
#define LANE int lane = threadIdx.x, g = lane / 4, m = lane % 4
)";

struct Product {
  int m;
  int n;
  int k;
};

// kernel(const int* a, const int* b, const int* c, int* d): all row by row, d = a·b + c.
void expect_product(const Product& size, const std::string& body, int smallest = -4,
                    int largest = 4) {
  test::OwnKernel kernel;
  kernel.source = std::string(kText) +
                  "extern \"C\" __global__ void kernel(const int* a, const int* b, const int* c, "
                  "int* d) {\n" +
                  body + "\n}";
  kernel.buffers = {{"a", size.m * size.k},
                    {"b", size.k * size.n},
                    {"c", size.m * size.n},
                    {"d", size.m * size.n}};
  problem::Launch launch = test::launch_of(kernel);
  OperandBits random(static_cast<std::uint64_t>(size.m * 1000 + size.k));
  std::vector<std::vector<std::int32_t>> matrices;
  for (std::size_t which = 0; which < 3; ++which) {
    std::vector<std::int32_t> values(launch.buffers[which].contents.size() / 4);
    for (std::int32_t& value : values) {
      value = smallest + static_cast<std::int32_t>(
                             random.next() % static_cast<std::uint64_t>(largest - smallest + 1));
    }
    launch.buffers[which].contents = bytes_of(values);
    matrices.push_back(std::move(values));
  }
  std::vector<std::int32_t> wanted = matrices[2];
  for (int r = 0; r < size.m; ++r) {
    for (int col = 0; col < size.n; ++col) {
      for (int k = 0; k < size.k; ++k) {
        wanted[static_cast<std::size_t>(r * size.n + col)] +=
            matrices[0][static_cast<std::size_t>(r * size.k + k)] *
            matrices[1][static_cast<std::size_t>(k * size.n + col)];
      }
    }
  }
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    Log log;
    const Machine machine =
        run_to_the_end(simulated.program(launch, build), {ScheduleKind::Sequential}, &log);
    ASSERT_TRUE(log.faults.empty()) << log.faults[0].detail;
    EXPECT_EQ(contents(machine, 3), wanted);
  }
}

TEST(Mma, MultipliesHalfs16x8x16) {
  const std::string body = R"(
  LANE;
  unsigned A[4], B[2];
  for (int i = 0; i < 8; i += 2) {
    int row = g + ((i / 2) % 2) * 8, col = m * 2 + (i / 4) * 8;
    A[i / 2] = CONVERT(a[row * 16 + col]) | CONVERT(a[row * 16 + col + 1]) << 16;
  }
  for (int i = 0; i < 4; i += 2) {
    int row = m * 2 + (i / 2) * 8;
    B[i / 2] = CONVERT(b[row * 8 + g]) | CONVERT(b[(row + 1) * 8 + g]) << 16;
  }
  float C[4], D[4];
  for (int i = 0; i < 4; ++i) { C[i] = c[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2]; }
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),
        "f"(C[0]), "f"(C[1]), "f"(C[2]), "f"(C[3]));
  for (int i = 0; i < 4; ++i) { d[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2] = (int)D[i]; }
)";
  const auto with = [&](const std::string& convert, const std::string& type) {
    std::string text = body;
    for (std::size_t at = text.find("CONVERT"); at != std::string::npos;
         at = text.find("CONVERT")) {
      text.replace(at, 7, convert);
    }
    for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) {
      text.replace(at, 4, type);
    }
    return text;
  };
  expect_product({16, 8, 16}, with("half_of", "f16"));
  expect_product({16, 8, 16}, with("bfloat_of", "bf16"));
}

TEST(Mma, MultipliesHalfs16x8x8IntoHalfs) {
  expect_product({16, 8, 8}, R"(
  LANE;
  unsigned A[2], B, C[2], D[2];
  for (int r = 0; r < 2; ++r) {
    int at = (g + 8 * r) * 8 + m * 2;
    A[r] = half_of(a[at]) | half_of(a[at + 1]) << 16;
    C[r] = half_of(c[at]) | half_of(c[at + 1]) << 16;
  }
  B = half_of(b[m * 2 * 8 + g]) | half_of(b[(m * 2 + 1) * 8 + g]) << 16;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%5,%6};"
      : "=r"(D[0]), "=r"(D[1]) : "r"(A[0]), "r"(A[1]), "r"(B), "r"(C[0]), "r"(C[1]));
  for (int r = 0; r < 2; ++r) {
    for (int e = 0; e < 2; ++e) {
      int v;
      asm("cvt.rni.s32.f16 %0, %1;" : "=r"(v) : "h"((unsigned short)(D[r] >> (16 * e))));
      d[(g + 8 * r) * 8 + m * 2 + e] = v;
    }
  }
)");
}

TEST(Mma, MultipliesTf32) {
  expect_product({16, 8, 8}, R"(
  LANE;
  unsigned A[4], B[2];
  for (int i = 0; i < 4; ++i) {
    A[i] = __float_as_uint((float)a[(g + 8 * (i % 2)) * 8 + m + 4 * (i / 2)]) | 0x1fff;
  }
  for (int i = 0; i < 2; ++i) { B[i] = __float_as_uint((float)b[(m + 4 * i) * 8 + g]); }
  float C[4], D[4];
  for (int i = 0; i < 4; ++i) { C[i] = c[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2]; }
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),
        "f"(C[0]), "f"(C[1]), "f"(C[2]), "f"(C[3]));
  for (int i = 0; i < 4; ++i) { d[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2] = (int)D[i]; }
)");
}

TEST(Mma, MultipliesDoubles) {
  expect_product({8, 8, 4}, R"(
  LANE;
  double A = a[g * 4 + m], B = b[m * 8 + g], C[2], D[2];
  for (int i = 0; i < 2; ++i) { C[i] = c[g * 8 + m * 2 + i]; }
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};"
      : "=d"(D[0]), "=d"(D[1]) : "d"(A), "d"(B), "d"(C[0]), "d"(C[1]));
  for (int i = 0; i < 2; ++i) { d[g * 8 + m * 2 + i] = (int)D[i]; }
)");
}

TEST(Mma, MultipliesBytes) {
  expect_product({16, 8, 32}, R"(
  LANE;
  unsigned A[4], B[2];
  for (int r = 0; r < 4; ++r) {
    A[r] = 0;
    for (int e = 0; e < 4; ++e) {
      int v = a[(g + 8 * (r % 2)) * 32 + m * 4 + e + 16 * (r / 2)];
      A[r] |= (unsigned)(v & 255) << (8 * e);
    }
  }
  for (int r = 0; r < 2; ++r) {
    B[r] = 0;
    for (int e = 0; e < 4; ++e) {
      B[r] |= (unsigned)(b[(m * 4 + e + 16 * r) * 8 + g] & 255) << (8 * e);
    }
  }
  int C[4], D[4];
  for (int i = 0; i < 4; ++i) { C[i] = c[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2]; }
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),
        "r"(C[0]), "r"(C[1]), "r"(C[2]), "r"(C[3]));
  for (int i = 0; i < 4; ++i) { d[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2] = D[i]; }
)",
                 -128, 127);
}

// The way libraries load operands of mma: ldmatrix on row-by-row tiles, transposed for B. Agreement
// of both shows that their layouts match.
TEST(Ldmatrix, BringsTheFragmentsThatMmaTakes) {
  expect_product({16, 8, 16}, R"(
  LANE;
  __shared__ __align__(16) unsigned short sa[16 * 16], sb[16 * 8];
  for (int i = lane; i < 256; i += 32) { sa[i] = half_of(a[i]); }
  for (int i = lane; i < 128; i += 32) { sb[i] = half_of(b[i]); }
  __syncwarp();
  unsigned A[4], B[2];
  unsigned pa = __cvta_generic_to_shared(sa + (lane % 16) * 16 + (lane / 16) * 8);
  unsigned pb = __cvta_generic_to_shared(sb + (lane % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
      : "=r"(B[0]), "=r"(B[1]) : "r"(pb));
  float C[4], D[4];
  for (int i = 0; i < 4; ++i) { C[i] = c[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2]; }
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),
        "f"(C[0]), "f"(C[1]), "f"(C[2]), "f"(C[3]));
  for (int i = 0; i < 4; ++i) { d[(g + 8 * (i / 2)) * 8 + m * 2 + i % 2] = (int)D[i]; }
)");
}

std::string wmma_body(const std::string& text) {
  return "  __shared__ __align__(32) unsigned short sa[256], sb[256];\n"
         "  __shared__ __align__(32) float sc[256];\n"
         "  for (int i = threadIdx.x; i < 256; i += 32) {\n"
         "    sa[i] = half_of(a[i]); sb[i] = half_of(b[i]); sc[i] = c[i];\n"
         "  }\n"
         "  __syncwarp();\n"
         "  unsigned A[8], B[8]; float C[8];\n" +
         text +
         "  __syncwarp();\n"
         "  for (int i = threadIdx.x; i < 256; i += 32) { d[i] = (int)sc[i]; }\n";
}

// A by rows and by columns (of the transposed tile), a stride, shared and generic addresses.
TEST(Wmma, MultipliesHalfs16x16x16) {
  expect_product({16, 16, 16}, wmma_body(R"(
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
      : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]), "=r"(A[4]), "=r"(A[5]), "=r"(A[6]), "=r"(A[7])
      : "r"((unsigned)__cvta_generic_to_shared(sa)), "r"(16));
  asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
      : "=r"(B[0]), "=r"(B[1]), "=r"(B[2]), "=r"(B[3]), "=r"(B[4]), "=r"(B[5]), "=r"(B[6]), "=r"(B[7])
      : "l"(sb));
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=f"(C[0]), "=f"(C[1]), "=f"(C[2]), "=f"(C[3]), "=f"(C[4]), "=f"(C[5]), "=f"(C[6]), "=f"(C[7])
      : "r"((unsigned)__cvta_generic_to_shared(sc)));
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7},"
      "{%8,%9,%10,%11,%12,%13,%14,%15},{%16,%17,%18,%19,%20,%21,%22,%23},{%0,%1,%2,%3,%4,%5,%6,%7};"
      : "+f"(C[0]), "+f"(C[1]), "+f"(C[2]), "+f"(C[3]), "+f"(C[4]), "+f"(C[5]), "+f"(C[6]), "+f"(C[7])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(A[4]), "r"(A[5]), "r"(A[6]), "r"(A[7]),
        "r"(B[0]), "r"(B[1]), "r"(B[2]), "r"(B[3]), "r"(B[4]), "r"(B[5]), "r"(B[6]), "r"(B[7]));
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;"
      :: "r"((unsigned)__cvta_generic_to_shared(sc)), "f"(C[0]), "f"(C[1]), "f"(C[2]), "f"(C[3]),
         "f"(C[4]), "f"(C[5]), "f"(C[6]), "f"(C[7]), "r"(16) : "memory");
)"));
}

TEST(Wmma, ReadsColumnsAndStoresThem) {
  expect_product({16, 16, 16}, R"(
  __shared__ __align__(32) unsigned short sa[256], sb[256];
  __shared__ __align__(32) float sc[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    int across = (i % 16) * 16 + i / 16;
    sa[across] = half_of(a[i]); sb[across] = half_of(b[i]); sc[across] = c[i];
  }
  __syncwarp();
  unsigned A[8], B[8]; float C[8];
  asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]), "=r"(A[4]), "=r"(A[5]), "=r"(A[6]), "=r"(A[7])
      : "l"(sa));
  asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=r"(B[0]), "=r"(B[1]), "=r"(B[2]), "=r"(B[3]), "=r"(B[4]), "=r"(B[5]), "=r"(B[6]), "=r"(B[7])
      : "l"(sb));
  asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=f"(C[0]), "=f"(C[1]), "=f"(C[2]), "=f"(C[3]), "=f"(C[4]), "=f"(C[5]), "=f"(C[6]), "=f"(C[7])
      : "l"(sc));
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7},"
      "{%8,%9,%10,%11,%12,%13,%14,%15},{%16,%17,%18,%19,%20,%21,%22,%23},{%0,%1,%2,%3,%4,%5,%6,%7};"
      : "+f"(C[0]), "+f"(C[1]), "+f"(C[2]), "+f"(C[3]), "+f"(C[4]), "+f"(C[5]), "+f"(C[6]), "+f"(C[7])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(A[4]), "r"(A[5]), "r"(A[6]), "r"(A[7]),
        "r"(B[0]), "r"(B[1]), "r"(B[2]), "r"(B[3]), "r"(B[4]), "r"(B[5]), "r"(B[6]), "r"(B[7]));
  asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, 16;"
      :: "l"(sc), "f"(C[0]), "f"(C[1]), "f"(C[2]), "f"(C[3]), "f"(C[4]), "f"(C[5]), "f"(C[6]),
         "f"(C[7]) : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) { d[i] = (int)sc[(i % 16) * 16 + i / 16]; }
)");
}

TEST(Wmma, MultipliesDoubles8x8x4) {
  expect_product({8, 8, 4}, R"(
  __shared__ double sa[32], sb[32], sc[64];
  for (int i = threadIdx.x; i < 64; i += 32) {
    if (i < 32) { sa[i] = a[i]; sb[i] = b[i]; }
    sc[i] = c[i];
  }
  __syncwarp();
  double A, B, C[2];
  asm volatile("wmma.load.a.sync.aligned.row.m8n8k4.f64 {%0}, [%1], 4;" : "=d"(A) : "l"(sa));
  asm volatile("wmma.load.b.sync.aligned.row.m8n8k4.f64 {%0}, [%1], 8;" : "=d"(B) : "l"(sb));
  asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0,%1}, [%2], 8;"
      : "=d"(C[0]), "=d"(C[1]) : "l"(sc));
  asm volatile("wmma.mma.sync.aligned.row.row.m8n8k4.rn.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(C[0]), "+d"(C[1]) : "d"(A), "d"(B));
  asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1,%2}, 8;"
      :: "l"(sc), "d"(C[0]), "d"(C[1]) : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 64; i += 32) { d[i] = (int)sc[i]; }
)");
}

TEST(MatrixOperations, TransposeAndStoreWhatTheyLoad) {
  test::OwnKernel kernel;
  kernel.source = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ __align__(16) unsigned short s[64], to[64];
  int lane = threadIdx.x;
  s[lane] = 100 + lane; s[32 + lane] = 132 + lane;
  __syncwarp();
  unsigned r, moved;
  unsigned from = __cvta_generic_to_shared(s + (lane % 8) * 8);
  unsigned into = __cvta_generic_to_shared(to + (lane % 8) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(from));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(into), "r"(moved) : "memory");
  __syncwarp();
  out[lane] = to[lane]; out[32 + lane] = to[32 + lane];
})";
  kernel.buffers = {{"out", 64}};
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto out = contents(run_to_the_end(simulated.program(test::launch_of(kernel), build)));
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(out[static_cast<std::size_t>(i)], 100 + (i % 8) * 8 + i / 8);
    }
  }
}

TEST(MatrixOperations, NeedAllLanes) {
  test::OwnKernel kernel;
  kernel.source = R"(extern "C" __global__ void kernel(int* out) {
  unsigned r = threadIdx.x;
  if (threadIdx.x < 9) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r)); }
  out[threadIdx.x] = r;
})";
  kernel.buffers = {{"out", 32}};
  test::Simulated simulated;
  Log log;
  run_to_the_end(simulated.program(test::launch_of(kernel)), {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 1U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::NotSimulated);
}

}  // namespace
}  // namespace tilestep::simt
