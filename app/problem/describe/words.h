// Words for the parts of descriptions, inputs and results.
#pragma once

#include "problem/launch/launch.h"
#include "problem/values/element.h"
#include "problem/values/inputs.h"
#include "problem/words.h"

namespace tilestep::problem {

// Who refuses a launch that does not meet a requirement.
enum class Refuser { Everywhere, Gpu };

}  // namespace tilestep::problem

namespace tilestep {

template <>
inline constexpr auto kWords<problem::Pattern> = std::to_array<Word<problem::Pattern>>(
    {{problem::Pattern::DistinctIntegers, "distinct", "distinct integers",
      "Every element differs: a wrong index changes the result."},
     {problem::Pattern::SmallIntegers, "small", "small integers",
      "-4 to 9 without 0; adjacent elements differ, so a wrong index changes the result."},
     {problem::Pattern::Ramp, "ramp", "ramp",
      "1, 2, 3, … row by row; every second matrix counts down."},
     {problem::Pattern::Random, "random", "random",
      "Random floats in [-1, 1), reproducible by seed."},
     {problem::Pattern::Unit, "unit", "random, positive",
      "Random floats in [0, 1), reproducible by seed. Sums do not cancel."},
     {problem::Pattern::Decades, "decades", "random, twelve orders of magnitude",
      "Random signs; magnitudes log-uniform from 1e-6 to 1e6; reproducible by seed."},
     {problem::Pattern::Identity, "identity", "identity",
      "Ones on the diagonal: C equals the other matrix."},
     {problem::Pattern::Constant, "constant", "constant",
      "The same value everywhere: hides most mistakes."},
     {problem::Pattern::Csv, "csv", "CSV file", "Values from a CSV file."},
     {problem::Pattern::Npy, "npy", "npy file",
      "The elements of one buffer, as NumPy saves them."}});

template <>
inline constexpr auto kWords<problem::Build> = std::to_array<Word<problem::Build>>(
    {{problem::Build::Step, "step", "step build",
      "Not optimized (-G): every variable visible, lines in source order."},
     {problem::Build::Fast, "fast", "fast build",
      "Optimized PTX (-lineinfo): lines out of order, variables in unnamed registers."},
     {problem::Build::Machine, "machine", "machine code",
      "The instructions that the hardware executes, with its registers R0, R1, …: what ptxas "
      "generates from the fast build."}});

template <>
inline constexpr auto kWords<problem::ElementType> =
    std::to_array<Word<problem::ElementType>>({{problem::ElementType::F16, "f16", "f16"},
                                               {problem::ElementType::BF16, "bf16", "bf16"},
                                               {problem::ElementType::F32, "f32", "f32"},
                                               {problem::ElementType::F64, "f64", "f64"},
                                               {problem::ElementType::S8, "s8", "s8"},
                                               {problem::ElementType::U8, "u8", "u8"},
                                               {problem::ElementType::S16, "s16", "s16"},
                                               {problem::ElementType::U16, "u16", "u16"},
                                               {problem::ElementType::S32, "s32", "s32"},
                                               {problem::ElementType::U32, "u32", "u32"},
                                               {problem::ElementType::S64, "s64", "s64"},
                                               {problem::ElementType::U64, "u64", "u64"}});

template <>
inline constexpr auto kWords<problem::BufferRole> = std::to_array<Word<problem::BufferRole>>(
    {{problem::BufferRole::Input, "input", "input"},
     {problem::BufferRole::Output, "output", "output"},
     {problem::BufferRole::InOut, "inout", "input and output"}});

template <>
inline constexpr auto kWords<problem::Refuser> = std::to_array<Word<problem::Refuser>>(
    {{problem::Refuser::Everywhere, "everywhere", "everywhere"},
     {problem::Refuser::Gpu, "gpu", "GPU"}});

}  // namespace tilestep
