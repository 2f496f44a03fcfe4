// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/channel.h"

namespace trammel {

void ChannelValues::refuse(std::ptrdiff_t written) const {
  throw Error(fmt::format("channel '{}' has room for {} numbers (items × components), but its function wrote {}", path_,
                          end_ - begin_, written));
}

}  // namespace trammel
