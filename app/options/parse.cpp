// SPDX-License-Identifier: BSD-3-Clause
// The rows of a command by CLI11, which reads the line and TOML. The only source that sees it: it costs seconds.
#include "app/options/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

#include "app/options/help_page.hpp"
#include "app/options/nearest_word.hpp"
#include "app/terminal/exit_code.hpp"

namespace reber::app {

namespace {

/// CLI11's reader takes every # for the beginning of a comment, in quotes as well.
class Toml final : public CLI::ConfigTOML {
 public:
  /// parsed: is told what the file sets
  explicit Toml(Parsed& parsed) : parsed_(parsed) { commentChar = '\1'; }  // comments are taken out here
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::stringstream plain;
    for (std::string line; std::getline(input, line);) plain << without_comment(line) << '\n';
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(plain);
    for (const CLI::ConfigItem& item : read)
      parsed_.from_file.push_back({item.parents.empty() ? "" : item.parents.front(), item.name, item.inputs});
    return read;
  }

 private:
  static std::string without_comment(const std::string& line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '#' && quote == 0) return line.substr(0, i);
      if (line[i] == quote)
        quote = 0;
      else if (quote == 0 && (line[i] == '"' || line[i] == '\''))
        quote = line[i];
    }
    return line;
  }

  Parsed& parsed_;
};

}  // namespace

class Parser {
 public:
  explicit Parser(Command& program) : program_(program), root_(program.help(), program.name()) {
    add(program, root_);
    root_.require_subcommand(0, 1);
    for (const auto& command : program.subcommands())
      add(*command, *root_.add_subcommand(command->name(), command->help()));
  }

  Parsed parse(int argc, const char* const* argv, const std::string& config_file) {
    Parsed parsed;
    if (!config_file.empty()) {
      // The option of the sub-command shows in its help; this one, of the program, makes CLI11 read the file.
      root_.set_config("--config-file", config_file, "", true);
      root_.config_formatter(std::make_shared<Toml>(parsed));
    }
    try {
      root_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      parsed.asked = Parsed::Asked::help;
    } catch (const CLI::CallForAllHelp&) {
      parsed.asked = Parsed::Asked::all_help;
    } catch (const CLI::ParseError& error) {
      parsed.wrong = words_of(error);
    }
    Command& command = chosen();
    parsed.command = &command;
    if (parsed.asked != Parsed::Asked::work || !parsed.wrong.empty()) return parsed;
    keep_words(program_);
    if (&command != &program_) keep_words(command);
    if (command.done_) command.done_();
    return parsed;
  }

 private:
  static bool is_help(const Option& option) { return option.has_name("help") || option.has_name("help-all"); }

  void add(Command& command, CLI::App& app) {
    apps_[&command] = &app;
    app.allow_config_extras(CLI::config_extras_mode::error);
    app.set_help_flag();
    app.set_help_all_flag();
    if (command.takes_rest_) {  // --help among it
      app.prefix_command();
      return;
    }
    app.set_help_flag("-h,--help");
    app.set_help_all_flag("--help-all");
    for (const auto& option : command.options_)
      if (!is_help(*option)) add(*option, app);
  }

  void add(Option& option, CLI::App& app) {
    const CLI::callback_t take = [this, &option](const CLI::results_t& words) {
      hand_over(option, words);
      return true;
    };
    CLI::Option* const made = app.add_option(option.all_names(), take);
    made_[&option] = made;
    if (option.is_flag())
      made->expected(0)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    else if (option.is_list())
      made->expected(option.least_, option.most_);
    made->allow_extra_args(option.is_list() && !option.one_at_a_time_);
    made->type_name(option.type_);
    if (option.delimiter_ != 0) made->delimiter(option.delimiter_);
    made->required(option.required_)->configurable(option.configurable_);
    for (const Check& check : option.checks_)
      made->check(CLI::Validator([check](const std::string& word) { return check(word); }, ""));
  }

  /// What was given goes to whom it is for.   throws CLI::ValidationError
  void hand_over(Option& option, const CLI::results_t& words) {
    if (option.is_flag()) {
      if (!CLI::detail::lexical_cast(words.back(), option.on_))
        throw CLI::ValidationError(option.name(), fmt::format("'{}' is neither true nor false", words.back()));
      (void)option.take_({option.on_ ? "true" : "false"});
      return;
    }
    if (option.now_ != nullptr) {
      CLI::Option& now = *made_.at(option.now_);
      if (now.count() > 0)
        throw CLI::ValidationError(
            fmt::format("{} is an old name of {}: give one of them, once", option.name(), option.now_->name()));
      now.add_result(words.back());
      now.run_callback();
      return;
    }
    if (const std::string wrong = option.take_(words); !wrong.empty()) throw CLI::ValidationError(option.name(), wrong);
  }

  void keep_words(Command& command) {
    for (const auto& option : command.options_)
      if (const auto made = made_.find(option.get()); made != made_.end()) option->words_ = made->second->results();
    if (command.takes_rest_) command.rest_ = apps_.at(&command)->remaining();
  }

  Command& chosen() {
    for (const auto& command : program_.subcommands_)
      if (apps_.at(command.get())->parsed()) return *command;
    return program_;
  }

  /// Long names of the options that a help page shows.
  static std::vector<std::string> names_of(const Command& command) {
    std::vector<std::string> names;
    for (const auto& option : command.options())
      if (!option->is_hidden()) names.insert(names.end(), option->long_names().begin(), option->long_names().end());
    return names;
  }

  /// What CLI11 found wrong, with what was meant: it names neither the nearest option nor what an input is.
  std::string words_of(const CLI::ParseError& error) {
    const Command& command = chosen();
    const std::string what = error.what();
    const auto is = [&](CLI::ExitCodes kind) { return error.get_exit_code() == static_cast<int>(kind); };
    if (is(CLI::ExitCodes::RequiredError)) {
      const std::string name = what.substr(0, what.find(' '));
      for (const auto& option : command.options())
        if (option->all_names().find(name) != std::string::npos)
          return fmt::format("{} is missing: {}", name, option->help());
    }
    if (is(CLI::ExitCodes::ConfigError)) {
      const std::string key = what.substr(what.find_last_of(". ") + 1);
      return fmt::format("the file of --config sets '{}', which is no option of '{}'{}", key, command.full_name(),
                         did_you_mean(key, names_of(command)));
    }
    if (!is(CLI::ExitCodes::ExtrasError)) return what;
    return words_of_extras(command, what);
  }

  std::string words_of_extras(const Command& command, const std::string& what) {
    const std::vector<std::string> left = apps_.at(&command)->remaining();
    if (left.empty()) return what;
    const auto dashed = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
    const bool is_option = dashed != left.end();
    const std::string word = is_option ? dashed->substr(0, dashed->find('=')) : left.front();
    const bool is_command = command.is_program() && !command.subcommands().empty();
    std::vector<std::string> names;
    if (is_option)
      for (const std::string& name : names_of(command)) names.push_back("--" + name);
    else
      for (const auto& other : command.subcommands()) names.push_back(other->name());
    const char* const kind = is_option ? "the option" : is_command ? "the sub-command" : "the argument";
    return fmt::format("{} '{}' is not known{}", kind, word, did_you_mean(word, names));
  }

  Command& program_;
  CLI::App root_;
  std::map<const Command*, CLI::App*> apps_;
  std::map<const Option*, CLI::Option*> made_;
};

Parsed parse(Command& program, int argc, const char* const* argv, const std::string& config_file) {
  return Parser(program).parse(argc, argv, config_file);
}

int explain(const Parsed& parsed, Terminal& terminal) {
  if (parsed.asked != Parsed::Asked::work) {
    const bool all = parsed.asked == Parsed::Asked::all_help;
    terminal.print_page(all ? full_page(*parsed.command, Terminal::page_columns()) : first_page(*parsed.command));
    return kDone;
  }
  terminal.error(parsed.wrong);
  terminal.message(fmt::format("Try '{} --help'.", parsed.command->full_name()));
  return kInputError;
}

}  // namespace reber::app
