// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/frame_channel_parts.h"

#include <fmt/format.h>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel::detail {

namespace {

const std::vector<std::string> xyz{"x", "y", "z"};

// "beam element", both counted from 1.
ChannelItems beam_elements(const FrameSource& s) {
  ChannelItems items;
  for (const Beam& beam : s.model.beams)
    for (int e = 1; e <= beam.n_elements(); ++e) items.names.push_back(fmt::format("{} {}", beam.name, e));
  return items;
}

// "beam element point".
ChannelItems beam_points(const FrameSource& s) {
  ChannelItems items;
  for (const Beam& beam : s.model.beams)
    for (int e = 1; e <= beam.n_elements(); ++e)
      for (int g = 1; g <= beam.order; ++g) items.names.push_back(fmt::format("{} {} {}", beam.name, e, g));
  return items;
}

FrameChannel at_sections(const std::string& quantity, BeamElement::Vector6 SectionState::*part,
                         std::vector<std::string> components, std::string unit, std::string meaning) {
  return {.quantity = "beam_" + quantity,
          .view = "/beams/{name}/" + quantity,
          .components = std::move(components),
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items = beam_points,
          .write = [part](const FrameInstant& at, ChannelValues& out) {
            for (const SectionState& section : at.parts.sections) out.put((section.*part).data(), 6);
          }};
}

template <class Part>
FrameChannel of_contacts(const std::string& quantity, Part FrameParts::Contact::*part,
                         std::vector<std::string> components, std::string unit, std::string meaning) {
  return {.quantity = quantity,
          .view = "/contacts/{name}/" + quantity,
          .components = std::move(components),
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items =
              [](const FrameSource& s) {
                ChannelItems items;
                for (const ContactSpec& contact : s.model.contacts) items.names.push_back(contact.name);
                if (s.assembly.contacts != nullptr)
                  for (const ContactGroup::RecordedPair& pair : s.assembly.contacts->recorded_pairs())
                    items.names.push_back(fmt::format("{}.{}.{}", s.model.contacts[pair.law].name, pair.a, pair.b));
                return items;
              },
          .write =
              [part](const FrameInstant& at, ChannelValues& out) {
                for (const FrameParts::Contact& contact : at.parts.contacts) out.put(contact.*part);
              }};
}

}  // namespace

void add_beam_channels(std::vector<FrameChannel>& list) {
  list.push_back(at_sections("strain", &SectionState::strain,
                             {"stretch", "shear_2", "shear_3", "twist", "bending_2", "bending_3"}, "1 and 1/m",
                             "strains at the integration points of beams: beam, element, point; section axes"));
  list.push_back(at_sections("force", &SectionState::resultant, {"n1", "n2", "n3", "m1", "m2", "m3"}, "N and N m",
                             "internal forces and moments there; section axes"));
  list.push_back({.quantity = "beam_energy",
                  .view = "/beams/{name}/energy",
                  .unit = "J",
                  .meaning = "strain energy of each element",
                  .items = beam_elements,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    const BeamGroup& beams = *at.assembly.beams;
                    for (int e = 0; e < beams.size(); ++e) out.put(beams.energy(e, at.k));
                  }});
}

void add_contact_channels(std::vector<FrameChannel>& list) {
  using Contact = FrameParts::Contact;
  list.push_back(
      of_contacts("normal_force", &Contact::normal_force, {}, "N", "sum of the normal forces of all places"));
  list.push_back(
      of_contacts("friction_force", &Contact::friction_force, {}, "N", "sum of the sizes of the friction forces"));
  list.push_back(
      of_contacts("penetration", &Contact::penetration, {}, "m", "of the place that presses most; 0: nothing touches"));
  list.push_back(of_contacts("touching", &Contact::touching, {}, "", "number of places that press"));
  list.push_back(of_contacts("slip", &Contact::slip, {}, "m/s", "sliding speed of the place that presses most"));
  list.push_back(of_contacts("pressure", &Contact::pressure, {}, "N/m²", "the largest pressure of a foundation"));
  list.push_back(of_contacts("contact_area", &Contact::area, {}, "m²",
                             "pressed area of all places: of foundations by their points, of round surfaces π a/κ"));
  list.push_back(of_contacts("contact_point", &Contact::point, xyz, "m", "of the place that presses most, world axes"));
  list.push_back(of_contacts("contact_normal", &Contact::normal, xyz, "",
                             "there, world axes: a unit vector out of the surface that is pressed into"));
}

}  // namespace trammel::detail
