//! The items of a crate: those with a page of their own, and the members of types and traits.

use camino::Utf8Path;
use jp_mcp_server::schemars::{self, JsonSchema};
use scraper::Selector;
use serde::Deserialize;

use super::{
    html::{self, PageError},
    path::DocPath,
};
use crate::names::{ItemPath, is_identifier};

/// More than this is not listed.
const MAX_ITEMS: usize = 50_000;
/// More pages, or more of them, are not searched for members.
const MAX_PAGES: usize = 5_000;
const MAX_BYTES: usize = 256 << 20;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Module,
    Struct,
    Enum,
    Union,
    Trait,
    Function,
    Macro,
    Type,
    Constant,
    Static,
    Method,
    Variant,
    Field,
    AssociatedType,
    AssociatedConstant,
}

/// Something that is documented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) path: ItemPath,
    /// The page on which it stands.
    pub(crate) page: DocPath,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Union => "union",
            Self::Trait => "trait",
            Self::Function => "function",
            Self::Macro => "macro",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Static => "static",
            Self::Method => "method",
            Self::Variant => "variant",
            Self::Field => "field",
            Self::AssociatedType => "associated type",
            Self::AssociatedConstant => "associated constant",
        }
    }

    /// By the name of its page: `struct.Name.html`.
    fn of_page(file_name: &str) -> Option<Self> {
        Some(match file_name.split('.').next()? {
            "struct" | "primitive" | "foreigntype" => Self::Struct,
            "enum" => Self::Enum,
            "union" => Self::Union,
            "trait" | "traitalias" => Self::Trait,
            "fn" => Self::Function,
            "macro" | "attr" | "derive" => Self::Macro,
            "type" | "opaque" => Self::Type,
            "constant" => Self::Constant,
            "static" => Self::Static,
            _ => return None,
        })
    }

    /// By the id of a member: `method.name`.
    pub(super) fn of_member(id: &str) -> Option<Self> {
        Some(match id {
            "method" | "tymethod" => Self::Method,
            "variant" => Self::Variant,
            "structfield" => Self::Field,
            "associatedtype" => Self::AssociatedType,
            "associatedconstant" => Self::AssociatedConstant,
            _ => return None,
        })
    }

    fn has_members(self) -> bool {
        matches!(self, Self::Struct | Self::Enum | Self::Union | Self::Trait)
    }
}

/// The items on the page that lists all of them.
pub(super) fn all(text: &str, page: &DocPath) -> Result<Vec<Item>, PageError> {
    let document = html::parse(text)?;
    let Ok(links) = Selector::parse(".all-items a, ul.docblock li a") else {
        return Ok(Vec::new());
    };
    let found = document.select(&links).filter_map(|link| {
        let (page, _) = page.follow(link.value().attr("href")?)?;
        let text: String = link.text().collect();
        let path = ItemPath::parse(&text, "").ok().filter(|path| !path.segments().is_empty())?;
        Some(Item { kind: Kind::of_page(page.file_name())?, path, page })
    });
    Ok(found.take(MAX_ITEMS).collect())
}

/// The members of all items. Their ids are found without parsing the pages, of which a crate may have
/// thousands; what comes from implementing a trait is left out, as everything has it.
pub(super) fn members(items: &[Item], read: impl Fn(&Utf8Path) -> Option<String>) -> Vec<Item> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    for item in items.iter().filter(|item| item.kind.has_members()).take(MAX_PAGES) {
        let Some(html) = read(item.page.as_path()) else { continue };
        bytes += html.len();
        if bytes > MAX_BYTES || found.len() > MAX_ITEMS {
            break;
        }
        found.extend(ids(&html).map(|(kind, name)| Item {
            kind,
            path: item.path.join(name),
            page: item.page.clone(),
        }));
    }
    found
}

/// `<section id="method.name" class="method">`, and nothing with another class.
fn ids(html: &str) -> impl Iterator<Item = (Kind, &str)> {
    let own =
        ["method", "variant", "structfield section-header", "associatedtype", "associatedconstant"];
    html.split(" id=\"").skip(1).filter_map(move |rest| {
        let (id, rest) = rest.split_once('"')?;
        let (kind, name) = id.split_once('.')?;
        let class = rest.strip_prefix(" class=\"")?.split('"').next()?;
        let kind = Kind::of_member(kind).filter(|_| own.contains(&class))?;
        is_identifier(name).then_some((kind, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_the_list() {
        let page = DocPath::new("a/all.html").unwrap();
        let html = "<h3>Structs</h3><ul class=\"all-items\"><li><a href=\"struct.A.html\">A</a></li>\
            <li><a href=\"b/macro.m.html\">b::m</a></li><li><a href=\"../../x.html\">x</a></li>\
            <li><a href=\"https://evil.example/struct.E.html\">E</a></li>\
            <li><a href=\"struct.F.html\">../F</a></li></ul><a href=\"struct.G.html\">G</a>";
        let found = all(html, &page).unwrap();
        let found: Vec<_> =
            found.iter().map(|i| format!("{} {} {}", i.kind.as_str(), i.path, i.page)).collect();
        assert_eq!(found, ["struct A a/struct.A.html", "macro b::m a/b/macro.m.html"]);
    }

    #[test]
    fn members_of_types() {
        let html = "<section id=\"method.go\" class=\"method\"><section id=\"method.fmt\" class=\"method trait-impl\">\
            <section id=\"variant.Red\" class=\"variant\"><span id=\"structfield.x\" class=\"structfield section-header\">\
            <section id=\"method.a-b\" class=\"method\"><h2 id=\"fields\" class=\"fields\">";
        let item = Item {
            kind: Kind::Struct,
            path: ItemPath::parse("A", "").unwrap(),
            page: DocPath::new("a/struct.A.html").unwrap(),
        };
        let found = members(&[item], |_| Some(html.to_owned()));
        let found: Vec<_> =
            found.iter().map(|i| format!("{} {}", i.kind.as_str(), i.path)).collect();
        assert_eq!(found, ["method A::go", "variant A::Red", "field A::x"]);
    }
}
