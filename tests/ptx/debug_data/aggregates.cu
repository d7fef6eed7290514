// Structures by value, unions, bit-fields, bases, arrays, vectors, templates, lambdas.
struct Base {
  int id;
};
struct Point {
  float x, y;
  __device__ float dot(const Point& other) const { return x * other.x + y * other.y; }
};
struct Flags : Base {
  double weight;
  unsigned low : 3;
  unsigned high : 7;
  int sign : 2;
};
union Word {
  int i;
  float f;
};
struct Mixed {
  int tag;
  union {
    int as_int;
    float as_float;
  };
  struct {
    short a, b;
  };
  Point corners[2];
  const float* data;
};
struct Node {
  const Node* next;
  int value;
};
template <class T, int N, bool Checked>
struct Arr {
  T v[N];
  __device__ T& operator[](int i) { return v[i]; }
};

__global__ void aggregates(float* out, Point p, Flags flags, Word word, Mixed mixed, Node node,
                           float4 quad, dim3 shape, int n) {
  float grid[4][3];
  Arr<float, 4, true> arr;
  struct {
    int q;
  } local;
  local.q = n;
  for (int i = 0; i < 4; ++i) {
    grid[i][n % 3] = i;
    arr[i] = i;
  }
  auto scale = [&](float by) { return by * grid[1][2] + n; };
  auto shift = [=](float by) { return by + p.x; };
  Point copy = p;
  float4 doubled = quad;
  doubled.x *= 2;
  out[0] = copy.dot(p) + flags.id + flags.weight + flags.low + flags.high + flags.sign + word.f +
           mixed.as_int + mixed.a + mixed.corners[1].y + mixed.data[0] + node.next->value +
           doubled.x + shape.y + local.q + arr[n] + scale(2) + shift(3);
}
