// What two runs that are compared are aligned by.
#pragma once

namespace tilestep::record {

enum class Alignment {
  Statement,  // the same products and the same lines of the source
  Phase,      // the block's first phase, its second, …
  Product,    // the products of the followed sum alone
};

}  // namespace tilestep::record
