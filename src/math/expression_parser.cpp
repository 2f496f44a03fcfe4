// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "expression_tree.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

struct Function {
  const char* name;
  Op op;
  int min_arguments, max_arguments;  // max −1: any number
  const char* use;
};

constexpr Function functions[] = {
    {"sin", Op::sin, 1, 1, "sin(x)"},
    {"cos", Op::cos, 1, 1, "cos(x)"},
    {"tan", Op::tan, 1, 1, "tan(x)"},
    {"asin", Op::asin, 1, 1, "asin(x)"},
    {"acos", Op::acos, 1, 1, "acos(x)"},
    {"atan", Op::atan, 1, 1, "atan(x)"},
    {"atan2", Op::atan2, 2, 2, "atan2(y, x)"},
    {"sinh", Op::sinh, 1, 1, "sinh(x)"},
    {"cosh", Op::cosh, 1, 1, "cosh(x)"},
    {"tanh", Op::tanh, 1, 1, "tanh(x)"},
    {"exp", Op::exp, 1, 1, "exp(x)"},
    {"log", Op::log, 1, 1, "log(x)"},
    {"log10", Op::log10, 1, 1, "log10(x)"},
    {"sqrt", Op::sqrt, 1, 1, "sqrt(x)"},
    {"abs", Op::abs, 1, 1, "abs(x)"},
    {"sign", Op::sign, 1, 1, "sign(x)"},
    {"floor", Op::floor, 1, 1, "floor(x)"},
    {"ceil", Op::ceil, 1, 1, "ceil(x)"},
    {"square", Op::square, 1, 1, "square(x)"},
    {"cube", Op::cube, 1, 1, "cube(x)"},
    {"deg", Op::deg, 1, 1, "deg(x)"},
    {"pow", Op::power, 2, 2, "pow(x, y)"},
    {"hypot", Op::hypot, 2, 2, "hypot(x, y)"},
    {"mod", Op::mod, 2, 2, "mod(x, y)"},
    {"min", Op::min, 2, -1, "min(a, b, ...)"},
    {"max", Op::max, 2, -1, "max(a, b, ...)"},
    {"clamp", Op::clamp, 3, 3, "clamp(x, low, high)"},
    {"step", Op::step, 5, 5, "step(x, x0, y0, x1, y1)"},
    {"ramp", Op::ramp, 5, 5, "ramp(x, x0, y0, x1, y1)"},
    {"if", Op::choose, 3, 3, "if(condition, a, b)"},
    {"table", Op::table, 2, 2, "table(name, x)"},
    {"norm", Op::norm, 1, 1, "norm(v)"},
    {"dot", Op::dot, 2, 2, "dot(a, b)"},
    {"cross", Op::cross, 2, 2, "cross(a, b)"},
};

const Function* find_function(std::string_view name) {
  const auto it =
      std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return name == f.name; });
  return it == std::end(functions) ? nullptr : it;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& f : functions) names.emplace_back(f.name);
  return names;
}

struct Token {
  enum class Kind { number, name, quoted, symbol, end } kind = Kind::end;
  std::string text;
  double number = 0.0;
  int column = 1;
  std::size_t begin = 0, end = 0;  // bytes
  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
};

// ASCII classes written out: the C library's depend on the locale. Bytes ≥ 0x80 (accents, UTF-8) may stand in names.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> result;
    do result.push_back(next());
    while (result.back().kind != Token::Kind::end);
    return result;
  }

 private:
  [[noreturn]] void fail(std::string message, std::size_t at) const {
    throw ExpressionError(std::move(message), column(at), text_);
  }

  // Counted on from where the last token began: a long formula is walked through once.
  int column(std::size_t at) const {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };  // of a UTF-8 character
    if (at < counted_at_) counted_at_ = 0, counted_ = 0;
    const auto from = text_.begin();
    counted_ +=
        std::count_if(from + static_cast<std::ptrdiff_t>(counted_at_), from + static_cast<std::ptrdiff_t>(at), begins);
    counted_at_ = at;
    return 1 + static_cast<int>(counted_);
  }

  Token next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    Token token;
    token.column = column(at_);
    token.begin = token.end = at_;
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    const bool dot_number = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (is_digit(c) || dot_number)
      read_number(token);
    else if (starts_name(c))
      read_name(token);
    else if (c == '\'' || c == '"')
      read_quoted(token);
    else
      read_symbol(token);
    token.end = at_;
    return token;
  }

  void read_number(Token& token) {
    token.kind = Token::Kind::number;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), token.number);
    token.text.assign(begin, end);
    if (error != std::errc{})
      fail(fmt::format("the number {} is too large or too small for a double", token.text), at_);
    at_ += static_cast<std::size_t>(end - begin);
  }

  void read_name(Token& token) {
    token.kind = Token::Kind::name;
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    token.text = text_.substr(begin, at_ - begin);
  }

  void read_quoted(Token& token) {
    token.kind = Token::Kind::quoted;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail(fmt::format("the quote {} is never closed", text_[at_]), at_);
    token.text = text_.substr(at_ + 1, end - at_ - 1);
    if (token.text.empty()) fail("an empty name between quotes", at_);
    at_ = end + 1;
  }

  void read_symbol(Token& token) {
    token.kind = Token::Kind::symbol;
    // What other languages write; each is answered with ours.
    constexpr std::pair<std::string_view, std::string_view> foreign[] = {
        {"**", "'^' for a power"}, {"&&", "'and'"}, {"||", "'or'"}, {"<>", "'!=' for \"not equal\""}};
    for (const auto& [theirs, ours] : foreign)
      if (text_.substr(at_, 2) == theirs) fail(fmt::format("'{}' has no meaning here; write {}", theirs, ours), at_);
    for (const std::string_view two : {"<=", ">=", "==", "!="})
      if (text_.substr(at_, 2) == two) {
        token.text = two;
        at_ += 2;
        return;
      }
    const char c = text_[at_];
    if (c == '=') fail("'=' has no meaning in a formula; write '==' to compare", at_);
    if (c == '!') fail("'!' has no meaning here; write 'not'", at_);
    if (std::string_view("+-*/^<>(),.[]").find(c) == std::string_view::npos)
      fail(fmt::format("'{}' has no meaning in a formula", c), at_);
    token.text = std::string(1, c);
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  mutable std::size_t counted_at_ = 0;  // characters before this byte,
  mutable std::ptrdiff_t counted_ = 0;  // as many
};

/// Recursive descent, one function per level of precedence, loosest first:
///   or · and · not · comparison (one only) · + − · * / · unary − · ^ (to the right) · value
class Parser {
 public:
  Parser(std::string_view text, const NameResolver& names, const TableResolver& tables, const ConstantTest& is_constant)
      : text_(text), names_(names), tables_(tables), is_constant_(is_constant), tokens_(Lexer(text).tokens()) {}

  Tree parse() {
    if (peek().kind == Token::Kind::end) fail("the formula is empty", peek());
    tree_.root = disjunction();
    const Token& rest = peek();
    if (rest.is(")")) fail("')' without a '(' before it", rest);
    if (rest.is(",")) fail("',' outside the arguments of a function; decimals are written with a point", rest);
    if (rest.kind != Token::Kind::end) fail_missing_operator(rest);
    return std::move(tree_);
  }

 private:
  static constexpr int max_nesting = 200;          // of parentheses; guards the recursion below
  static constexpr std::size_t max_nodes = 10000;  // of the tree; guards the recursions over it

  [[noreturn]] void fail(std::string message, const Token& at) const {
    throw ExpressionError(std::move(message), at.column, text_);
  }
  [[noreturn]] void fail_missing_operator(const Token& at) const {
    const bool after_number = position_ > 0 && tokens_[position_ - 1].kind == Token::Kind::number;
    if (after_number && at.kind == Token::Kind::name && at.text.size() > 1) {
      const std::string near = did_you_mean(at.text, unit_words());
      fail(fmt::format("there is no unit '{}'{} A product is written with '*'", at.text, near.empty() ? "." : near),
           at);
    }
    fail(fmt::format("expected an operator before '{}' (a product is written with '*')", at.text), at);
  }

  const Token& peek() const { return tokens_[position_]; }
  const Token& take() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
  bool accept(std::string_view symbol) {
    if (!peek().is(symbol)) return false;
    take();
    return true;
  }

  int add(Op op, const Token& at, std::vector<int> children, int index = -1, double value = 0.0) {
    if (tree_.nodes.size() >= max_nodes) fail(fmt::format("the formula has more than {} parts", max_nodes), at);
    tree_.nodes.push_back({op, at.column, index, value, std::move(children)});
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  int disjunction() {
    int left = conjunction();
    while (peek().is_word("or")) {
      const Token at = take();
      const int right = conjunction();
      left = add(Op::logical_or, at, {left, right});
    }
    return left;
  }

  int conjunction() {
    int left = negation();
    while (peek().is_word("and")) {
      const Token at = take();
      const int right = negation();
      left = add(Op::logical_and, at, {left, right});
    }
    return left;
  }

  int negation() {
    if (!peek().is_word("not")) return comparison();
    const Token at = take();
    enter(at);
    const int operand = negation();
    --nesting_;
    return add(Op::logical_not, at, {operand});
  }

  static const Op* comparison_op(const Token& token) {
    static constexpr std::pair<std::string_view, Op> ops[] = {{"<", Op::less},    {"<=", Op::less_equal},
                                                              {">", Op::greater}, {">=", Op::greater_equal},
                                                              {"==", Op::equal},  {"!=", Op::not_equal}};
    for (const auto& [symbol, op] : ops)
      if (token.is(symbol)) return &op;
    return nullptr;
  }

  int comparison() {
    const int left = sum();
    const Op* op = comparison_op(peek());
    if (op == nullptr) return left;
    const Token at = take();
    const int right = sum();
    if (comparison_op(peek()) != nullptr) fail("comparisons cannot be chained; write 'a < b and b < c'", peek());
    return add(*op, at, {left, right});
  }

  int sum() {
    int left = product();
    while (peek().is("+") || peek().is("-")) {
      const Token at = take();
      const int right = product();
      left = add(at.is("+") ? Op::add : Op::subtract, at, {left, right});
    }
    return left;
  }

  int product() {
    int left = unary();
    while (peek().is("*") || peek().is("/")) {
      const Token at = take();
      const int right = unary();
      left = add(at.is("*") ? Op::multiply : Op::divide, at, {left, right});
    }
    return left;
  }

  int unary() {
    const Token at = peek();
    enter(at);
    int result = -1;
    if (accept("-"))
      result = add(Op::negate, at, {unary()});
    else if (accept("+"))
      result = unary();
    else
      result = power();
    --nesting_;
    return result;
  }

  int power() {
    const int base = value();
    if (!peek().is("^")) return base;
    const Token at = take();
    const int exponent = unary();  // 2^-1, and 2^3^2 = 2^(3^2)
    return add(Op::power, at, {base, exponent});
  }

  int value() {
    const Token token = take();
    switch (token.kind) {
      case Token::Kind::number:
        return number(token);
      case Token::Kind::name:
        if (token.text == "and" || token.text == "or" || token.text == "not")
          fail(fmt::format("expected a value before '{}'", token.text), token);
        if (peek().is("(")) return call(token);
        if (token.text == "pi" && !peek().is(".")) return add(Op::constant, token, {}, index_of_pi, std::numbers::pi);
        return name(token);
      case Token::Kind::quoted:
        return name(token);
      case Token::Kind::end:
        fail("the formula ends where a value is expected", token);
      case Token::Kind::symbol:
        break;
    }
    if (token.is("[")) return vector(token);
    if (!token.is("(")) fail(fmt::format("expected a value, found '{}'", token.text), token);
    const int inside = disjunction();
    close(token);
    return inside;
  }

  int vector(const Token& open) {
    enter(open);
    std::vector<int> parts;
    do parts.push_back(disjunction());
    while (accept(","));
    if (!accept("]")) fail("this '[' is never closed", open);
    if (parts.size() != 3) fail(fmt::format("a vector has three parts [x, y, z], not {}", parts.size()), open);
    --nesting_;
    return add(Op::vector, open, std::move(parts));
  }

  // 3, or with a unit, 40 kN/mm: words right behind the number, which is a mistake otherwise. "*" and "/" continue the
  // unit if no blank stands about them and a unit follows: 5 N*m is a torque, 5 N*x and 5 N * m are products.
  int number(const Token& token) {
    if (!begins_unit(peek())) return add(Op::constant, token, {}, -1, token.number);
    const Unit first = unit_factor();
    Unit unit = first;
    for (;;) {
      const Token& next = peek();
      const Token& behind = tokens_[std::min(position_ + 1, tokens_.size() - 1)];
      const bool divides = next.is("/");
      if (begins_unit(next)) {
        multiply(unit, unit_factor());
      } else if ((divides || next.is("*")) && next.begin == tokens_[position_ - 1].end && behind.begin == next.end &&
                 begins_unit(behind)) {
        refuse_two_meanings(next, behind);
        take();
        Unit factor = unit_factor();
        if (divides) factor = {factor.down, factor.up, Dimension{} / factor.dimension};
        multiply(unit, factor);
      } else {
        break;
      }
    }
    tree_.dimensions.push_back(unit.dimension);
    return add(Op::constant, token, {}, static_cast<int>(tree_.dimensions.size()) - 1, unit.to_si(token.number));
  }

  static void multiply(Unit& unit, const Unit& factor) {
    unit = {unit.up * factor.up, unit.down * factor.down, unit.dimension * factor.dimension};
  }

  bool begins_unit(const Token& token) const {
    if (token.kind != Token::Kind::name || !parse_unit(token.text)) return false;
    const Token& next = tokens_[static_cast<std::size_t>(&token - tokens_.data()) + 1];
    return !next.is("(") && !next.is(".");
  }

  // One word, "mm" or "N·m", and its power.
  Unit unit_factor() {
    const Token word = take();
    Unit unit = *parse_unit(word.text);
    const bool adjacent = peek().is("^") && peek().begin == word.end;
    if (!adjacent) return unit;
    const std::size_t before = position_;
    take();
    const bool negative = accept("-");
    const Token exponent = take();
    const std::string text = fmt::format("{}^{}{}", word.text, negative ? "-" : "", exponent.text);
    const std::optional<Unit> raised = exponent.kind == Token::Kind::number ? find_unit(text) : std::optional<Unit>();
    if (!raised) fail(fmt::format("'{}' is not a power of a unit; write 'm^2'", text), tokens_[before]);
    return *raised;
  }

  void refuse_two_meanings(const Token& sign, const Token& word) const {
    if (!is_constant_ || !is_constant_(word.text)) return;
    fail(fmt::format("'{0}' is a unit and a parameter; write ' {1} {0}' with blanks for the parameter, or give the "
                     "parameter another name",
                     word.text, sign.text),
         word);
  }

  void enter(const Token& at) {
    if (++nesting_ > max_nesting) fail(fmt::format("the formula is nested more than {} levels deep", max_nesting), at);
  }

  void close(const Token& open) {
    if (accept(")")) return;
    const Token& found = peek();
    if (found.kind == Token::Kind::end) fail("this '(' is never closed", open);
    if (found.is(",")) fail("',' outside the arguments of a function; decimals are written with a point", found);
    fail_missing_operator(found);
  }

  int name(const Token& first) {
    std::vector<std::string> path{first.text};
    while (accept(".")) {
      const Token part = take();
      if (part.kind != Token::Kind::name && part.kind != Token::Kind::quoted)
        fail(fmt::format("expected a name after '{}.'", path.back()), part);
      path.push_back(part.text);
    }
    if (peek().kind == Token::Kind::number && peek().text.starts_with('.'))
      fail(fmt::format("expected a name after '{}.'; a name that starts with a digit needs quotes", path.back()),
           peek());
    const ResolvedName resolved = names_ ? names_(path) : ResolvedName(std::string("no names are known here"));
    if (const int* index = std::get_if<int>(&resolved)) return add(Op::variable, first, {}, *index);
    if (const double* constant = std::get_if<double>(&resolved)) return add(Op::constant, first, {}, -1, *constant);
    if (const Function* function = path.size() == 1 ? find_function(first.text) : nullptr)
      fail(fmt::format("'{}' is a function and needs its arguments: {}", first.text, function->use), first);
    fail(std::get<std::string>(resolved), first);
  }

  int call(const Token& token) {
    const Function* function = find_function(token.text);
    if (function == nullptr) {
      const std::vector<std::string> known = function_names();
      std::string hint = did_you_mean(token.text, known);
      if (hint.empty()) hint = fmt::format("; functions are {}", join_quoted(known));
      fail(fmt::format("unknown function '{}'{}", token.text, hint), token);
    }
    const Token open = take();
    int table = -1;
    std::vector<int> arguments;
    int count = 0;
    if (!peek().is(")")) {
      do {
        if (function->op == Op::table && count == 0)
          table = table_name();
        else
          arguments.push_back(disjunction());
        ++count;
      } while (accept(","));
    }
    if (!peek().is(")")) {
      if (peek().kind == Token::Kind::end) fail(fmt::format("the '(' of {} is never closed", function->name), open);
      fail_missing_operator(peek());
    }
    take();
    if (count < function->min_arguments || (function->max_arguments >= 0 && count > function->max_arguments))
      fail(fmt::format("{} needs {}{} argument{}, not {}: {}", function->name,
                       function->max_arguments < 0 ? "at least " : "", function->min_arguments,
                       function->min_arguments == 1 ? "" : "s", count, function->use),
           token);
    if (function->max_arguments >= 0) return add(function->op, token, std::move(arguments), table);
    int result = arguments[0];  // min and max of many: a chain of pairs
    for (std::size_t i = 1; i < arguments.size(); ++i) result = add(function->op, token, {result, arguments[i]});
    return result;
  }

  int table_name() {
    const Token token = take();
    if (token.kind != Token::Kind::name && token.kind != Token::Kind::quoted)
      fail("the first argument of table is the name of a table: table(name, x)", token);
    const ResolvedTable resolved =
        tables_ ? tables_(token.text) : ResolvedTable(fmt::format("there is no table '{}'", token.text));
    if (const std::string* why = std::get_if<std::string>(&resolved)) fail(*why, token);
    tree_.tables.push_back(std::get<std::shared_ptr<const CubicSpline>>(resolved));
    return static_cast<int>(tree_.tables.size()) - 1;
  }

  std::string_view text_;
  const NameResolver& names_;
  const TableResolver& tables_;
  const ConstantTest& is_constant_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int nesting_ = 0;
  Tree tree_;
};

/// Replaces constant parts by their value, and `if` with a constant condition by the chosen branch; the other branch is
/// not looked at, so that if(n > 0, 1/n, 0) may be written with n = 0.
class Folder {
 public:
  Folder(Tree& tree, std::string_view text) : tree_(tree), text_(text) {}

  /// The node that stands for `node` after folding.
  int fold(int node) {
    if (at(node).op == Op::choose) return fold_choice(node);
    if (at(node).op >= Op::vector && at(node).op <= Op::cross)
      throw ExpressionError(
          "a vector cannot stand here: this formula is computed while the machine moves, from numbers", at(node).column,
          text_);
    std::array<double, 5> values{};
    bool constant = at(node).op != Op::variable;
    for (std::size_t i = 0; i < at(node).children.size(); ++i) {
      const int child = fold(at(node).children[i]);
      at(node).children[i] = child;
      if (at(child).op == Op::constant)
        values[i] = at(child).value;
      else
        constant = false;
    }
    check_limits(node);
    if (constant && at(node).op != Op::constant) make_constant(node, values);
    return node;
  }

 private:
  ExpressionNode& at(int node) { return tree_.nodes[static_cast<std::size_t>(node)]; }

  int fold_choice(int node) {
    const int condition = fold(at(node).children[0]);
    at(node).children[0] = condition;
    if (at(condition).op == Op::constant) return fold(at(node).children[at(condition).value != 0.0 ? 1 : 2]);
    for (std::size_t i = 1; i < 3; ++i) {
      const int branch = fold(at(node).children[i]);
      at(node).children[i] = branch;
    }
    return node;
  }

  void make_constant(int node, const std::array<double, 5>& values) {
    ExpressionNode& n = at(node);
    const double value = n.op == Op::table ? tree_.tables[static_cast<std::size_t>(n.index)]->evaluate(values[0])
                                           : apply(n.op, values.data());
    if (!std::isfinite(value))
      throw ExpressionError(
          fmt::format("this part of the formula is constant but not finite ({}): a division by zero, or "
                      "a function outside its domain",
                      value),
          n.column, text_);
    n = {Op::constant, n.column, -1, value, {}};
  }

  /// Constant limits of step, ramp and clamp must be in order.
  void check_limits(int node) {
    const Op op = at(node).op;
    if (op != Op::step && op != Op::ramp && op != Op::clamp) return;
    const ExpressionNode low = at(at(node).children[1]), high = at(at(node).children[op == Op::clamp ? 2 : 3]);
    if (low.op != Op::constant || high.op != Op::constant || low.value < high.value) return;
    if (op == Op::clamp && low.value == high.value) return;
    throw ExpressionError(op == Op::clamp ? fmt::format("clamp needs low <= high, not {} and {}", low.value, high.value)
                                          : fmt::format("{} needs x0 < x1, not {} and {}: {}(x, x0, y0, x1, y1)",
                                                        op == Op::step ? "step" : "ramp", low.value, high.value,
                                                        op == Op::step ? "step" : "ramp"),
                          at(node).column, text_);
  }

  Tree& tree_;
  std::string_view text_;
};

}  // namespace

Tree parse_written(std::string_view text, const NameResolver& names, const TableResolver& tables,
                   const ConstantTest& is_constant) {
  return Parser(text, names, tables, is_constant).parse();
}

Tree parse_tree(std::string_view text, const NameResolver& names, const TableResolver& tables) {
  const ConstantTest is_constant = [&](const std::string& name) {
    return names && std::holds_alternative<double>(names({name}));
  };
  Tree tree = parse_written(text, names, tables, is_constant);
  tree.root = Folder(tree, text).fold(tree.root);
  return tree;
}

}  // namespace trammel::detail
