// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/record.h"

namespace trammel {

class JsonWriter;

/// An object with what is said of a run: truth values, numbers (null where they are not finite) and texts.
void put_entries(JsonWriter& json, const SummaryEntries& summary);

}  // namespace trammel
