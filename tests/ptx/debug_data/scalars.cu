// Scalar variables of every kind: registers, constants, enumerations, typedefs, pointers.
enum class Kind : unsigned char { Small = 1, Large = 2 };
enum Colour { RED, GREEN = 5, BLUE = -1 };
typedef float real;

__global__ void scalars(const float* in, real* out, bool flag, char letter, signed char tiny,
                        unsigned char byte, short s, unsigned short us, int i, unsigned u,
                        long long ll, unsigned long long ull, double d, Kind kind, Colour colour,
                        void* anything, float** rows, const int (*table)[4], int (*call)(int),
                        const int limit) {
  const int seven = 7;
  constexpr unsigned large = 4000000000u;
  constexpr double pi = 3.25;
  const float half = 0.5f;
  bool is_small = kind == Kind::Small;
  short next = s + 1;
  char upper = letter - 32;
  const float* chosen = i & 1 ? in : out;
  float* const fixed = out + u;
  int& alias = *(int*)anything;
  alias += call(limit);
  in += 4;
  if (is_small) out[0] = next;
  out[seven] = in[0] + chosen[1] + upper + pi + half + large + flag + tiny + byte + us + ll + ull +
               d + colour + rows[1][2] + table[1][3];
  fixed[1] = is_small;
}
