// Every word that the narration says, in English. A second language is a second table of the same
// ids and places.
//
// A row is a whole sentence, long and short; {places} are filled with this run's names and numbers
// and carry their own colour. An empty short form: the long one is short. Numbers come with their
// noun from kNouns. Rows at the end are parts that are a whole of their own, as "{first} and
// {last}".
#pragma once

#include <array>
#include <string_view>

namespace tilestep::narration {

struct Row {
  std::string_view id;
  std::string_view long_form;
  std::string_view short_form;
};

struct NounForms {
  std::string_view one;
  std::string_view many;
};

// In the order of Noun (templates.h).
inline constexpr NounForms kNouns[] = {
    {"thread", "threads"},   {"block", "blocks"},     {"lane", "lanes"},
    {"number", "numbers"},   {"zero", "zeros"},       {"product", "products"},
    {"element", "elements"}, {"copy", "copies"},      {"sector", "sectors"},
    {"pass", "passes"},      {"byte", "bytes"},       {"word", "words"},
    {"load", "loads"},       {"store", "stores"},     {"read", "reads"},
    {"time", "times"},       {"barrier", "barriers"}, {"update", "updates"},
};

// clang-format off
inline constexpr Row kEnglish[] = {
    // Before anything has run, and while the block does not move.
    {"start_one", "{blocks} of {threads} start. You follow {thread} of {block}; it will compute {element}.",
     "You follow {thread}; it computes {element}."},
    {"start_many", "{blocks} of {threads} start. You follow {thread} of {block}; it will compute {elements} of {array}.",
     "You follow {thread}: {elements} of {array}."},
    {"start_none", "{blocks} of {threads} start. You follow {thread} of {block}.", "You follow {thread}."},
    {"block_not_started", "{block} has not started yet; another block moved.", "{block} has not started yet."},
    {"block_ended", "{block} has ended; another block moved.", "{block} has ended."},
    {"block_stopped", "A fault stopped {block}; another block moved.", "A fault stopped {block}."},
    {"block_waits", "{block} stands still; another block moved.", "{block} stands still."},

    // Functions.
    {"arguments", "{threads} begin, all with the same arguments: {arguments}.", "Arguments: {arguments}."},
    {"begins", "{threads} begin {function}.", ""},
    {"calls", "{thread} calls {function}.", ""},
    {"enters", "{thread} is in {function} now.", ""},
    {"enters_with", "{thread} is in {function} now, with {arguments}.", "{function}: {arguments}."},
    {"comes_back", "{thread} comes back from {function}.", ""},
    {"returns_value", "{function} gives {value} to {thread}.", ""},
    {"returns_element", "{function} reads {source} = {value} for {thread}.", "{thread} gets {source} = {value}."},
    {"returns_early", "{threads} leave {function} here.", ""},
    {"leaves", "{threads} are done.", ""},
    {"leaves_result", "{threads} are done. {thread} leaves {element} = {value} behind.", "{thread} is done: {element} = {value}."},
    {"ends_at", "{thread} is done at line {line}.", ""},
    {"goes_on", "{thread} goes on from line {line} to line {next}.", "{thread} goes on to line {next}."},

    // Whole numbers.
    {"place_in_block", "Every thread reads its own place in the block: {thread} has {equation}.", "{thread}: {equation}."},
    {"place_of_block", "Every thread reads the place of its block: {thread} has {equation}.", "{thread}: {equation}."},
    {"row_all", "Every thread finds its row: {thread} takes {equation}.", "Row of {thread}: {equation}."},
    {"row_some", "{some} of {all} find their row: {thread} takes {equation}.", "Row of {thread}: {equation}."},
    {"column_all", "Every thread finds its column: {thread} takes {equation}.", "Column of {thread}: {equation}."},
    {"column_some", "{some} of {all} find their column: {thread} takes {equation}.", "Column of {thread}: {equation}."},
    {"row_of", "{thread} loads from row {value} of {array}: {equation}.", "Row of {array}: {equation}."},
    {"column_of", "{thread} loads from column {value} of {array}: {equation}.", "Column of {array}: {equation}."},
    {"index_all", "Every thread works out {variable}: {thread} gets {equation}.", "{thread}: {equation}."},
    {"index_some", "{some} of {all} work out {variable}: {thread} gets {equation}.", "{thread}: {equation}."},
    {"flag_true", "{variable} is true for {thread}: {condition}.", ""},
    {"flag_false", "{variable} is false for {thread}: {condition} does not hold.", "{variable} is false: not {condition}."},

    // Other values.
    {"sum_starts", "Every thread starts its sum: {equation} for {thread}.", "{thread}: {equation}."},
    {"sums_start", "{thread} starts its sums in {variable} at 0.", ""},
    {"sets", "{thread} sets {equation}.", ""},
    {"computes", "{thread} computes {equation}.", ""},
    {"has_value", "{thread} has {variable} = {value} now.", ""},
    {"next_product", "{thread} takes the next product away from what was lost: {equation}.", "{thread}: {equation}."},
    {"lost_part", "{thread} keeps the part that the new sum has lost: {equation}.", "Lost: {equation}."},
    {"sum_and_lost", "{equation} is the new sum of {thread}, {lost} the part of it that was lost.", "{equation}; lost: {lost}."},

    // Loops.
    {"tile_pass", "Tile {tile} of 0 to {last}: {parts}.", ""},
    {"tile_pass_plain", "Tile {tile} of 0 to {last}: {variable} = {value}.", ""},
    {"tiles_done", "No tile left: all of 0 to {last} are done.", "No tile left after tile {last}."},
    {"product_pass", "Product {number} of {count}: {variable} = {value} for {thread}.", "Product {number} of {count}: {variable} = {value}."},
    {"product_pass_cells", "Product {number} of {count}: {cells}.", ""},
    {"products_done", "All {count} products of this loop are added: {variable} = {value} ends it.", "All {count} products are added."},
    {"step_pass", "Step {number} of {count}: {thread} reads {numbers} and makes {products} of them.", "Step {number} of {count}: {products}."},
    {"pass_products", "Pass {number} of {count}: {variable} = {value}, for {products} of {thread}.", "Pass {number} of {count}: {variable} = {value}."},
    {"pass", "Pass {number} of {count}: {variable} = {value} for {thread}.", "Pass {number} of {count}: {variable} = {value}."},
    {"pass_uncounted", "{thread} goes round once more: {condition}.", ""},
    {"loop_done", "The loop is over after {passes}: {variable} = {value} ends it.", "The loop is over: {variable} = {value}."},
    {"loop_none", "{thread} does not enter the loop at line {line}: it has no pass to make.", "No pass of the loop at line {line}."},
    {"loop_over", "{thread} leaves the loop at line {line}.", ""},

    // Conditions.
    {"guard_all", "All {all} go in: for {thread}, {condition}.", "All go in: {condition}."},
    {"guard_none", "None of {all} goes in: for {thread}, {condition} does not hold.", "Nobody goes in: not {condition}."},
    {"guard_some", "{in} of {all} go in, {out} do not. {thread} does: {condition}.", "{in} of {all} go in."},
    {"guard_some_not", "{in} of {all} go in, {out} do not. Not {thread}: {condition} does not hold.", "{in} of {all} go in."},
    {"output_all", "All {all} have an element to store: for {thread}, {condition}.", "All have an element: {condition}."},
    {"output_none", "None of {all} has an element to store: for {thread}, {condition} does not hold.", "Nobody has an element to store."},
    {"output_some", "{in} of {all} have an element to store; {out} go on without. {thread}: {condition}.", "{in} of {all} have an element to store."},
    {"output_some_not", "{in} of {all} have an element to store; {out} go on without. Not {thread}: {condition} fails.", "{in} of {all} have an element to store."},
    {"splits", "Warp {warp} splits at line {line}: {warp_in} of {warp_all} go in, {thread} too: {condition}.", "Warp {warp} splits: {warp_in} of {warp_all} go in."},
    {"splits_not", "Warp {warp} splits at line {line}: {warp_in} of {warp_all} go in. Not {thread}: {condition} fails.", "Warp {warp} splits: {warp_in} of {warp_all} go in."},
    {"masked", "{thread} takes no part: at line {line}, {condition} does not hold for it.", "{thread} is off: not {condition}."},
    {"masked_left", "{thread} has left the kernel; {threads} go on.", "{thread} has left the kernel."},
    {"masked_elsewhere", "{thread} waits at line {own_line} while {threads} are at line {line}.", "{thread} waits at line {own_line}."},

    // Memory.
    {"tile_copy", "{threads} copy {numbers} of {from} into {to}. {thread}: {source} = {value} to {target}.", "{thread}: {source} = {value} to {target}."},
    {"tile_part", "{threads} fill {to}: {numbers} of {from}, {zeros} outside it. {thread}: {source} = {value} to {target}.", "{thread}: {source} = {value} to {target}."},
    {"tile_zero", "{threads} fill {to}: {numbers} of {from}, {zeros} outside it. {thread} stores 0 in {target}.", "{thread}: 0 to {target}, outside {from}."},
    {"tile_zeros", "{threads} fill {to} with zeros: nothing is left to load. {thread} stores 0 in {target}.", "{thread}: 0 to {target}, nothing to load."},
    {"shared_store", "{threads} store {numbers} in {to}. {thread} puts {value} in {target}.", "{thread} puts {value} in {target}."},
    {"load_global", "{threads} read {numbers} of {from}. {thread} reads {source} = {value}.", "{thread} reads {source} = {value}."},
    {"load_shared", "{threads} read {numbers} of {from}. {thread} reads {source} = {value}.", "{thread} reads {source} = {value}."},
    {"keeps", "{thread} keeps {source} = {value} in {variable}.", ""},
    {"reads_and_computes", "{thread} reads {source} = {value}: {equation}.", ""},
    {"store_sums", "{threads} store their sums. {thread}: {target} = {value}.", "{thread}: {target} = {value}."},
    {"store_values", "{threads} store {numbers} in {to}. {thread}: {target} = {value}.", "{thread}: {target} = {value}."},
    {"copies_start", "{copies} to {to} start; nobody waits. {thread}: {source} = {value} to {target}.", "On its way: {source} = {value} to {target}."},
    {"copies_start_zero", "{copies} to {to} start; nobody waits. {thread} sends a 0 to {target}.", "On its way: 0 to {target}."},
    {"copies_land", "{numbers} have landed in {to}. {thread} waited for {target} = {value}.", "Landed: {target} = {value}."},
    {"atomic_one", "{thread} updates {target} in one go: {before} becomes {after}.", "{target}: {before} becomes {after}."},
    {"atomic_many", "{threads} update {target} one after the other: {before} becomes {after}.", "{target}: {before} becomes {after}."},
    {"shuffle", "{thread} takes {value} from {other} without any memory: {result}.", "{thread} takes {value}: {result}."},
    {"shuffle_none", "{thread} has nobody to take a value from: {result}.", ""},
    {"conflict_load", "One read of {array}, {words}: {degree} stand in one bank and take {passes}.", "{array}: {words} in {passes}."},
    {"conflict_store", "One store to {array}, {words}: {degree} stand in one bank and take {passes}.", "{array}: {words} in {passes}."},
    {"sectors_load", "One read of {array} by {lanes} touches {sectors}; its bytes would fill {ideal}.", "{array}: {sectors} for {ideal}."},
    {"sectors_store", "One store to {array} by {lanes} touches {sectors}; its bytes would fill {ideal}.", "{array}: {sectors} for {ideal}."},

    // Sums.
    {"multiply_add", "{threads} read {first} and {second}. {thread} adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"multiply_add_one", "{thread} reads {source} and adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"naive_product", "{thread} reads {first} and {second} from global memory and adds {product}: {result}.", "{thread} adds {product}: {result}."},
    {"register_product", "{thread} adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"multiply_subtract", "{thread} takes {product} away from {before}: {result}.", ""},

    // Barriers.
    {"barrier_waits", "{threads} wait at line {line}, {thread} too; {missing} are still to come.", "{threads} wait for {missing}."},
    {"barrier_complete", "All {all} are here: {complete} are complete, so anyone may read what anyone brought.", "All {all} here: {complete} are complete."},
    {"barrier_complete_one", "All {all} are here: {complete} is complete, so anyone may read what anyone brought.", "All {all} here: {complete} is complete."},
    {"barrier_frees", "All {all} have finished reading {free}: new numbers may be stored there.", "All {all} here: {free} may be overwritten."},
    {"barrier_frees_tile", "All {all} have finished with tile {tile}: {free} may be overwritten.", "All {all} here: {free} may be overwritten."},
    {"barrier_both", "All {all} are here: {complete} may be read now, and {free} overwritten.", "All {all} here: read {complete}."},
    {"barrier_last_tile", "All {all} have finished with tile {tile}, the last that needed this barrier.", "All {all} have finished with tile {tile}."},
    {"barrier_plain", "All {all} are here; nothing in shared memory had to wait for it.", "All {all} are here."},
    {"warp_barrier", "{lanes} of the warp wait for each other, {thread} among them.", "{lanes} wait for each other."},

    // What went wrong.
    {"race_lost", "{first} has put {between} over the {old} in {element} that {second} is only now reading.", "{second} reads {between} instead of {old}."},
    {"race_early", "{first} stored {between} in {element}; {second} reads it with no barrier between them.", "{second} reads {element} with no barrier."},
    {"race_overwrites", "{first} read {old} in {element}; {second} stores {new} there with no barrier between.", "{second} stores {new} over {old}."},
    {"race_stores", "{first} stored {between} in {element}, {second} stores {new} there: nothing orders the two.", "Two stores to {element}: {between}, {new}."},
    {"race_stores_same", "{first} and {second} both store {new} in {element}: nothing orders the two.", "Two stores of {new} to {element}."},
    {"finding", "{sentence}", "A finding at line {line}."},
    {"fault", "{thread} stops at line {line}: a fault.", ""},
    {"fault_read", "{thread} reads {place} at line {line}, outside the array.", "{thread} reads {place}."},
    {"fault_store", "{thread} stores to {place} at line {line}, outside the array.", "{thread} stores to {place}."},
    {"prints", "{thread} prints “{text}”.", ""},

    // Parts that are a whole of their own.
    {"and_two", "{first} and {last}", ""},
    {"or_two", "{first} or {last}", ""},
    {"comma_two", "{first}, {last}", ""},
    {"one_column", "one column of {array}", ""},
    {"one_row", "one row of {array}", ""},
    {"numbers_of", "{numbers} of {array}", ""},
    {"columns_of_array", "columns {first} to {last} of {array}", ""},
    {"column_of_array", "column {first} of {array}", ""},
    {"rows_of_array", "rows {first} to {last} of {array}", ""},
    {"row_of_array", "row {first} of {array}", ""},

    // The line above the sentence.
    {"eyebrow_phase", "Phase {number} of {count}", ""},
    {"eyebrow_tile", "tile {tile} of 0 to {last}", ""},
    {"eyebrow_product", "product {number} of {count}", ""},
    {"eyebrow_pass", "{variable}: pass {number} of {count}", ""},
    {"eyebrow_lanes", "{off} of {all} off", ""},
};
// clang-format on

}  // namespace tilestep::narration
