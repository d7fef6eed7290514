// wmma, mma and ldmatrix.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const half* a, const half* b, float* c, half* ch, signed char* ia,
                             int* ic, double* dd, const __nv_bfloat16* ba) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  __shared__ half sh[256];
  wmma::load_matrix_sync(fa, sh, 16);
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> hc;
  wmma::load_matrix_sync(hc, ch, 16, wmma::mem_col_major);
  wmma::mma_sync(hc, fa, fb, hc);
  wmma::store_matrix_sync(ch, hc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ja;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> jb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> jc;
  wmma::fill_fragment(jc, 0);
  wmma::load_matrix_sync(ja, ia, 16);
  wmma::load_matrix_sync(jb, ia, 16);
  wmma::mma_sync(jc, ja, jb, jc);
  wmma::store_matrix_sync(ic, jc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
  wmma::fill_fragment(dc, 0.);
  wmma::load_matrix_sync(da, dd, 4);
  wmma::load_matrix_sync(db, dd, 4);
  wmma::mma_sync(dc, da, db, dc);
  wmma::store_matrix_sync(dd, dc, 8, wmma::mem_row_major);
  unsigned r[4];
  unsigned sa = __cvta_generic_to_shared(sh);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(sa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(sa));
  float d0, d1, d2, d3;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[0]), "r"(r[1]), "f"(0.f), "f"(1.f),
        "f"(2.f), "f"(3.f));
  c[0] = d0 + d1 + d2 + d3;
}
