// One cuBLAS handle on one stream: float32 products in several ways, and float64 ones.
#pragma once

#include "gpu/context.h"
#include "gpu/device.h"
#include "gpu/driver_api.h"

#include <string>

namespace tilestep::gpu {

class Products {
 public:
  // Never fails: why_not() says what is missing. `driver_version` is for messages.
  Products(const LibraryNames& libraries, Context& context, std::string driver_version);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  Products(Products&&) = delete;
  Products& operator=(Products&&) = delete;

  [[nodiscard]] const std::string& why_not() const { return why_not_; }  // empty: available
  [[nodiscard]] const std::string& version() const { return cublas_.version; }

  // Sets the arithmetic of the next products. All functions below throw GpuError, also without
  // cuBLAS.
  void set_math(Math math);
  void enqueue_sgemm(const SgemmOperands& operands);
  void enqueue_dgemm(const SgemmOperands& operands);

 private:
  void require() const;
  void check(CublasStatus status, const char* call) const;
  void enqueue_gemm_ex(const SgemmOperands& operands, int type, const char* name);

  Context& context_;
  std::string driver_version_;
  std::string why_not_;
  Cublas cublas_;
  CublasHandle handle_ = nullptr;
};

}  // namespace tilestep::gpu
