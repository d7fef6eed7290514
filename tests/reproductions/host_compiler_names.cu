// Names that device code has from nvcc's host compiler.
#if !defined(__GNUC__) || __CHAR_BIT__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(linux)
#error "nvcc has these."
#endif
struct Pair { char tag; float value; };
__global__ void use(float* y, const int* x)
{
    constexpr int LOG = 31 - __builtin_clz(32), ONES = __builtin_popcount(0xf0u), LOWEST = __builtin_ctz(8);
    static_assert(LOG == 5 && ONES == 4 && LOWEST == 3 && __builtin_offsetof(Pair, value) == 4 && __SIZEOF_INT__ == 4);
    int i = threadIdx.x;
    float lowest = __builtin_inff();
    __UINT32_TYPE__ bits = __UINT32_MAX__ >> __builtin_ffs(x[i]);
    for (int k = 0; k < LOG; ++k) lowest = __builtin_fminf(lowest, __builtin_fmaf(__FLT_EPSILON__, x[k], __builtin_sqrt(2.0)));
    if (lowest == __builtin_huge_valf() || x[i] == __INT_MAX__ || x[i] > SHRT_MAX) lowest = __builtin_nanf("");
    __builtin_memset(y + i, 0, sizeof(float));
    y[i] += lowest + __builtin_popcount(bits) + __builtin_abs(x[i]) + __builtin_expect(i, 0) + __builtin_powi(2.0, 3);
}
