// NumPy's files: an array with all of its elements, in every element type that they fit; or a
// sentence.
#include "problem/describe/words.h"
#include "problem/values/matrix_file.h"
#include "problem/words.h"
#include "require.h"
#include "targets.h"

#include <limits>

namespace tilestep::fuzz {

void read_npy(Bytes bytes) {
  const auto array = problem::parse_npy(text_of(bytes), "fuzz.npy");
  if (!array) {
    require(array.error().message.starts_with("fuzz.npy"), "an error names the file");
    return;
  }
  require(array->contents.size() == array->count() * problem::byte_size(array->type),
          "every element is there");
  if (array->count() > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    return;
  }
  for (const Word<problem::ElementType>& type : words_of<problem::ElementType>()) {
    const int count = static_cast<int>(array->count());
    const auto elements = problem::elements_of(*array, 1, count, type.value, "fuzz.npy");
    require(!elements || elements->size() == count * problem::byte_size(type.value),
            "as many elements as the matrix has");
    (void)problem::elements_of(*array, count, 1, type.value, "fuzz.npy");
    (void)problem::elements_of(*array, 2, count / 2, type.value, "fuzz.npy");
  }
}

}  // namespace tilestep::fuzz
