//! The rules of the grammar in the words of a policy's author.

use crate::Rule;

/// What an author would write where this rule is expected, such as `` `allow` `` or `a label`.
#[must_use]
pub fn describe(at: Rule) -> Vec<String> {
    let words = match at {
        Rule::EOI => "the end of the file",
        Rule::name
        | Rule::pattern
        | Rule::prefix
        | Rule::key
        | Rule::cell
        | Rule::target
        | Rule::field_name => "a name",
        Rule::argument | Rule::arguments => "an argument",
        Rule::string => "a string",
        Rule::number => "a number",
        Rule::regex => "a pattern",
        Rule::integer | Rule::version => "a whole number",
        Rule::ty | Rule::ty_element | Rule::ty_name => "a type",
        Rule::list_ty | Rule::record_ty | Rule::enumeration | Rule::set_ty => "a type",
        Rule::map_ty | Rule::map_element => "a type",
        Rule::field | Rule::entry => "a field",
        Rule::level | Rule::chain => "a level",
        Rule::label | Rule::bare_level | Rule::label_rule => "a label",
        Rule::condition | Rule::conjunction | Rule::negation | Rule::group => "a condition",
        Rule::comparison | Rule::context | Rule::present => "a condition",
        Rule::comparator => "a comparison such as `==`",
        Rule::operand | Rule::held | Rule::path | Rule::application | Rule::stated => {
            "a value or a name"
        }
        Rule::value | Rule::value_list | Rule::value_record => "a value",
        Rule::file | Rule::header => "`policy`",
        Rule::product | Rule::abbreviation => "`label`",
        Rule::condition_item => "`condition`",
        Rule::import => "`import`",
        Rule::powerset => "`powerset`",
        Rule::factors => "`product`",
        Rule::lattice_form => "a lattice",
        Rule::names | Rule::names_of => "names",
        Rule::type_item => "`type`",
        Rule::use_tools => "`use`",
        Rule::claim => "`never`",
        Rule::lint => "`lint`",
        Rule::lint_allow => "`allow`",
        Rule::lint_deny => "`deny`",
        Rule::lattice => "`lattice`",
        Rule::fact | Rule::given => "`fact`",
        Rule::store => "`store`",
        Rule::store_of => "`of`",
        Rule::message => "`message`",
        Rule::tool => "`tool`",
        Rule::tools => "`tools`",
        Rule::test => "`test`",
        Rule::because => "`because`",
        Rule::always => "`always`",
        Rule::unless => "`unless`",
        Rule::via => "`via`",
        Rule::exception => "the name of a downgrade",
        Rule::guard | Rule::when => "`when`",
        Rule::shape_line => "`shape`",
        Rule::rest_line | Rule::star => "`*`",
        Rule::outsiders_line => "`outsiders`",
        Rule::outsiders_read => "`read`",
        Rule::outsiders_write => "`write`",
        Rule::field_line => "a field",
        Rule::node_line | Rule::result_line | Rule::node_path => "`result`",
        Rule::form => "a string",
        Rule::capture => "a value's name and type in braces",
        Rule::reads => "`reads`",
        Rule::errors_line => "`errors`",
        Rule::decision | Rule::effect => return several(["allow", "confirm", "deny"]),
        Rule::writes => return several(["writes", "adds", "changes"]),
        Rule::approval => return several(["approval", "endorses"]),
        Rule::cells => "a store",
        Rule::downgrade => return several(["endorse", "declassify"]),
        Rule::region => "a tool's result",
        Rule::checked => "`checked`",
        Rule::by => "`by`",
        Rule::said => return several(["system", "user"]),
        Rule::call => "`call`",
        Rule::reply => "`reply`",
        Rule::returns => "`returns`",
        Rule::fails => "`fails`",
        Rule::expected => "`=>`",
        Rule::format => return several(["text", "json", "yaml", "python", "mcp"]),
        Rule::nullable => "`?`",
        Rule::open_brace => "`{`",
        Rule::close_brace => "`}`",
        Rule::open_bracket | Rule::items_step | Rule::keys_step => "`[`",
        Rule::close_bracket => "`]`",
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::colon => "`:`",
        Rule::comma => "`,`",
        Rule::dot => "`.`",
        Rule::equals => "`=`",
        Rule::arrow => "`->`",
        Rule::at_most => "`<=`",
        _ => {
            let rule = format!("{at:?}");
            return rule.strip_prefix("kw_").map(|word| format!("`{word}`")).into_iter().collect();
        }
    };
    vec![words.to_owned()]
}

fn several<const N: usize>(keywords: [&str; N]) -> Vec<String> {
    keywords.iter().map(|word| format!("`{word}`")).collect()
}
