// Textures and surfaces.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
extern "C" __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float* o) {
  o[0] = tex2D<float>(t, 1.f, 2.f) + tex1D<float>(t, 1.f) + tex3D<float>(t, 1, 2, 3) +
         tex1Dfetch<float>(t, 3) + tex2DLod<float>(t, 1, 2, 0) + tex2DLayered<float>(t, 1, 2, 3) +
         texCubemap<float>(t, 1, 2, 3);
  float4 v = tex2D<float4>(t, 3, 4);
  o[1] = v.w;
  float x;
  surf2Dread(&x, s, 4, 5);
  surf2Dwrite(x, s, 8, 9);
  o[3] = x;
}
