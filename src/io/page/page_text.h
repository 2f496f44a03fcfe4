// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"

namespace trammel::detail {

std::string page_title(const ReportOptions& options, const ResultsReader& first);

/// Hands out the page's text part by part; where its data belong, `put_data` is called.
void put_page(const std::string& title, const std::function<void(std::string_view)>& put,
              const std::function<void()>& put_data);

/// Writes the page with one JSON text, which its script finds by `id`, and arrays of numbers that the text names.
void write_page(const std::filesystem::path& page, const std::string& title, const char* id, const std::string& json,
                const std::vector<std::string>& arrays = {});

}  // namespace trammel::detail
