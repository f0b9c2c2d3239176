// SPDX-License-Identifier: BSD-3-Clause
// Rules between parameters, said once, and the way in which a running request is edited.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/request/parameters.hpp"

namespace reber {

/// What is wrong with a request, in words for the user.
struct Complaint {
  std::string parameter;  ///< name of the row
  std::string text;
};

/// What is wrong with the request, first single values, of parameters and of the call, then rules between them. Every
/// pipeline asks, so that no way in takes what another refuses.
[[nodiscard]] std::vector<Complaint> check(const Request& request);
/// throws InputError with the first complaint
void refuse_broken_rules(const Request& request);

/// Sets one parameter, in its stored unit, as a user does who works on a running request. Where the new value breaks a
/// rule, the other parameter follows if the rule knows how: a seed below the flood takes the flood along.
///   returns what is wrong with the value; the request is as before then
std::optional<Complaint> edit(Request& request, std::string_view name, const ParameterValue& value,
                              std::span<const Parameter> rows = parameters());
/// The same with a text as options have it, in the shown unit.
std::optional<Complaint> edit_text(Request& request, std::string_view name, const std::string& text,
                                   std::span<const Parameter> rows = parameters());

/// What "auto" stands for: kernels of zero sum fill blank pixels with 0, others interpolate over them.
[[nodiscard]] NanRule nan_rule(const ConvolveRequest& convolve);
/// What "auto" stands for: kernels of zero sum have a peak of one, others a sum of one.
[[nodiscard]] Normalise normalisation(const ConvolveRequest& convolve);

/// Whether one S/N per pixel decides, so that pixels have p-values for a false discovery rate.
[[nodiscard]] bool fdr_possible(const Request& request);
/// Whether a crowded field may lower the seed threshold: no false discovery rate sets it, and the image itself, whose
/// beam tells of its noise, is searched, on no other scale.
[[nodiscard]] bool deepening_possible(const Request& request);

}  // namespace reber
