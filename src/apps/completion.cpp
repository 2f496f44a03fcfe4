// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "trammel/base/text.h"
#include "trammel/base/version.h"

namespace trammel::apps {

namespace {

/// "TEXT:{json,markdown}" says what may be given.
std::vector<std::string> listed_words(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> words;
  if (open == type.npos || close == type.npos) return words;
  std::string list = type.substr(open + 1, close - open - 1);
  for (std::size_t comma; (comma = list.find(',')) != list.npos; list.erase(0, comma + 1))
    words.push_back(list.substr(0, comma));
  words.push_back(list);
  return words;
}

ShellOption describe_option(const CLI::Option& option) {
  ShellOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.help = option.get_description();
  if (option.get_type_size_max() > 0) {
    described.words = listed_words(option.get_type_name());
    described.value = option.get_type_name();
    described.value = described.words.empty() ? described.value.substr(0, described.value.find(':')) : "WORD";
  }
  return described;
}

/// The end of the names of files that a value may be: "toml", "h5"; "/" for folders; "" for all files; none for others.
const char* file_ending(const ShellOption& option) {
  if (option.value == "DIR" || option.value == "FOLDER") return "/";
  if (option.value.rfind("FILE", 0) != 0 && option.value != "MODEL.toml") return nullptr;
  for (const char* ending : {"toml", "h5", "html", "csv"})
    if (option.value.find(std::string(".") + ending) != std::string::npos) return ending;
  return "";
}

/// What stands without a name: the file that a command works on.
const ShellOption* find_operand(const ShellCommand& command) {
  for (const ShellOption& option : command.options)
    if (option.names.empty()) return &option;
  return nullptr;
}

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// ---- bash

std::string bash_answer(const ShellOption& option) {
  if (!option.words.empty()) return fmt::format("_trammel_words '{}'", fmt::join(option.words, " "));
  const char* ending = file_ending(option);
  if (ending == nullptr) return ":";
  return ending == std::string("/") ? "_trammel_folders" : fmt::format("_trammel_files '{}'", ending);
}

std::string bash_text(const std::vector<ShellCommand>& commands) {
  std::string names, cases;
  for (const ShellCommand& command : commands) {
    names += command.name + " ";
    std::string flags, values;
    for (const ShellOption& option : command.options) {
      for (const std::string& name : option.names) flags += name + " ";
      if (option.names.empty() || option.value.empty()) continue;
      values += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, " | "), bash_answer(option));
    }
    const ShellOption* operand = find_operand(command);
    cases += fmt::format("    {})\n      case \"$previous\" in\n{}      esac\n      options='{}'\n", command.name,
                         values, flags);
    if (command.name == "plot")
      cases +=
          "      for word in \"${COMP_WORDS[@]:2}\"; do\n        [[ $word == *.h5 && -f $word && $current != -* ]] || "
          "continue\n        _trammel_words \"$(trammel info \"$word\" --channels 2>/dev/null | cut -d ' ' -f 1)\"\n"
          "        break\n      done\n";
    if (operand != nullptr) cases += fmt::format("      [[ $current == -* ]] || {}\n", bash_answer(*operand));
    cases += "      ;;\n";
  }
  return fmt::format(R"(# bash completion of trammel {}, written by `trammel completion bash`
_trammel_words() {{ COMPREPLY+=($(compgen -W "$1" -- "$current")); }}
_trammel_folders() {{
  compopt -o filenames 2>/dev/null
  mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -d -- "$current")
}}
_trammel_files() {{
  compopt -o filenames 2>/dev/null
  if [[ -z $1 ]]; then
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -d -- "$current"; compgen -f -X "!*.$1" -- "$current")
  fi
}}
_trammel() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}" options='--help --version' word
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _trammel_words '{}--help --version'
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [[ $current == -* ]]; then _trammel_words "$options"; fi
}}
complete -F _trammel trammel
)",
                     version(), names, cases);
}

// ---- zsh

std::string zsh_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : replace_all(text, "'", "'\\''")) {
    if (c == '[' || c == ']' || c == ':') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string zsh_answer(const ShellOption& option) {
  if (!option.words.empty()) return fmt::format("({})", fmt::join(option.words, " "));
  const char* ending = file_ending(option);
  if (ending == nullptr) return "";
  if (ending == std::string("/")) return "_files -/";
  return *ending == '\0' ? "_files" : fmt::format("_files -g \"*.{}(-.)\"", ending);
}

std::string zsh_text(const std::vector<ShellCommand>& commands) {
  std::string names, cases;
  for (const ShellCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, replace_all(zsh_quoted(command.help), "\\:", ":"));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const ShellOption& option : command.options) {
      const std::string value =
          option.value.empty() ? "" : fmt::format(":{}:{}", zsh_quoted(option.value), zsh_answer(option));
      if (option.names.empty()) cases += fmt::format(" \\\n        '*{}'", value);
      for (const std::string& name : option.names)
        cases += fmt::format(" \\\n        '*{}[{}]{}'", name, zsh_quoted(option.help), value);
    }
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef trammel
# zsh completion of trammel {}, written by `trammel completion zsh`
_trammel() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  ((CURRENT--))
  case "$command" in
{}  esac
}}
_trammel "$@"
)",
                     version(), names, cases);
}

// ---- fish

std::string fish_quoted(const std::string& text) {
  return "'" + replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_text(const std::vector<ShellCommand>& commands) {
  std::string text = fmt::format("# fish completion of trammel {}, written by `trammel completion fish`\n", version());
  text +=
      "complete -c trammel -f\ncomplete -c trammel -n __fish_use_subcommand -l help\n"
      "complete -c trammel -n __fish_use_subcommand -l version\n";
  for (const ShellCommand& command : commands) {
    text += fmt::format("complete -c trammel -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        fish_quoted(command.help));
    const std::string condition = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    for (const ShellOption& option : command.options) {
      std::string names, answer;
      for (const std::string& name : option.names)
        names += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const char* ending = file_ending(option);
      if (!option.words.empty())
        answer = fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
      else if (ending != nullptr && ending == std::string("/"))
        answer = " -x -a '(__fish_complete_directories)'";
      else if (ending != nullptr)
        answer = *ending == '\0' ? " -r -F" : fmt::format(" -k -x -a '(__fish_complete_suffix .{})'", ending);
      else if (!option.value.empty())
        answer = " -x";
      if (option.names.empty() && ending != nullptr && *ending != '\0')
        answer = fmt::format(" -k -a '(__fish_complete_suffix .{})'", ending);
      if (names.empty() && answer.empty()) continue;
      text += fmt::format("complete -c trammel {}{}{} -d {}\n", condition, names, answer, fish_quoted(option.help));
    }
  }
  return text;
}

// ---- the manual

std::string roff(const std::string& text) {
  std::string quoted = replace_all(replace_all(text, "\\", "\\e"), "-", "\\-");
  quoted = replace_all(quoted, "\n.", "\n\\&.");
  quoted = replace_all(quoted, "\n'", "\n\\&'");
  return !quoted.empty() && (quoted[0] == '.' || quoted[0] == '\'') ? "\\&" + quoted : quoted;
}

std::string manual_text(const std::vector<ShellCommand>& commands) {
  std::string text = fmt::format(".TH TRAMMEL 1 \"\" \"trammel {}\" \"Trammel\"\n", version());
  text +=
      ".SH NAME\ntrammel \\- simulate constrained mechanical systems\n.SH SYNOPSIS\n.B trammel\n"
      ".I COMMAND\n[\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n"
      "Trammel simulates machines: bodies, joined, driven, under forces. A machine is described in a text file\n"
      "(TOML); a run writes its motion, reactions and the record of the solver to a results file (HDF5).\n"
      "Each command explains itself:\n.BR \"trammel run \\-\\-help\" .\n.SH COMMANDS\n";
  for (const ShellCommand& command : commands) {
    text += fmt::format(".SS \"trammel {}\"\n{}.\n", command.name, roff(command.help));
    for (const ShellOption& option : command.options) {
      const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
      const std::string value = option.words.empty() ? option.value : fmt::format("{}", fmt::join(option.words, "|"));
      text += ".TP\n";
      if (!names.empty()) text += fmt::format("\\fB{}\\fR{}", roff(names), value.empty() ? "" : " ");
      if (!value.empty()) text += fmt::format("\\fI{}\\fR", roff(value));
      text += fmt::format("\n{}\n", roff(option.help));
    }
    if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  }
  return text;
}

}  // namespace

std::vector<ShellCommand> describe_commands(const CLI::App& app) {
  std::vector<ShellCommand> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    ShellCommand command{sub->get_name(), sub->get_description(), sub->get_footer(), {}};
    std::vector<const CLI::Option*> options = sub->get_options();
    for (const CLI::App* group : sub->get_subcommands([](const CLI::App*) { return true; }))
      for (const CLI::Option* option : group->get_options()) options.push_back(option);
    for (const CLI::Option* option : options) command.options.push_back(describe_option(*option));
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string shell_text(const std::vector<ShellCommand>& commands, const std::string& format) {
  if (format == "bash") return bash_text(commands);
  if (format == "zsh") return zsh_text(commands);
  if (format == "fish") return fish_text(commands);
  return manual_text(commands);
}

}  // namespace trammel::apps
