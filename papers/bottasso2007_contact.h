#pragma once

#include <string>

#include "paper.h"

namespace trammel::papers {

/// contact.csv, contact_summary.csv and figures 9 to 11 [bottasso2007 section 5]; returns their part of the README.
std::string write_contact(const Place& place);

}  // namespace trammel::papers
