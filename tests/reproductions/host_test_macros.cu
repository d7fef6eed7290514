TEST(Suite, Name) { EXPECT_EQ(1, 1); }
BENCHMARK(f_bench)->Range(1, 2);
PYBIND11_MODULE(x, m) { m.def("f", &f); }
__global__ void f(int* a) { a[threadIdx.x] = 5; }
auto host_lambda = [](int x) { return malloc(x); };
BENCHMARK_MAIN();
