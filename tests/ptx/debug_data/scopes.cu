// Nested scopes: shadowing, loops, early ways out, variables assigned in several places.
__global__ void scopes(float* out, int n, const float* a, const float* b) {
  int x = n;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    float x = a[i];
    if (x < 0.0f) {
      ++a;
      continue;
    }
    if (x > 100.0f) {
      break;
    }
    {
      int x = i * 2;
      sum += b[x];
    }
    sum += x;
  }
  while (n--) {
    out[n] = sum;
  }
  do {
    int twice = x + x;
    x = twice - n;
  } while (x < 10);
  const float* p = (x & 1) ? a : b;
  switch (x) {
    case 11: {
      int x = 5;
      out[x] = 1.0f;
      break;
    }
    default:
      out[x] = p[0];
  }
  const float* same = p;
  out[1] = same[1];
}
