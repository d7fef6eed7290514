// Matrix operations of a whole warp (PTX ISA 9.0, 9.7.14): mma.sync, wmma, ldmatrix and their
// relatives. Detail::slots has the registers of all fragments in the order of the text,
// Detail::matrix their shape.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

const Bound* multiply_matrices(Context& c, const Bound* i);     // mma.sync, wmma.mma
const Bound* load_rows_of_matrix(Context& c, const Bound* i);   // ldmatrix: Detail::addresses[0]
const Bound* store_rows_of_matrix(Context& c, const Bound* i);  // stmatrix
const Bound* transpose_matrix(Context& c, const Bound* i);      // movmatrix: in[0]
const Bound* load_fragment(Context& c, const Bound* i);         // wmma.load; in[1]: stride, or none
const Bound* store_fragment(Context& c, const Bound* i);        // wmma.store

// Whether the shape and the types of an instruction are among those that are simulated.
[[nodiscard]] bool knows_matrix(const ptx::Instruction& i, const ptx::MatrixForm& form);

}  // namespace tilestep::simt
