//! The definition of a tool from the type of its arguments.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, generate::SchemaSettings};

/// A tool whose arguments have the type `A`: its schema is derived, so what the model is told is what
/// [`Call::arguments`](crate::Call::arguments) reads.
pub fn define<A: JsonSchema>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    let title = annotations.title.clone();
    let mut tool = Tool::new(name, description, schema::<A>()).with_annotations(annotations);
    tool.title = title;
    tool
}

/// Without references, which some clients do not follow, and without the name of a Rust type.
fn schema<A: JsonSchema>() -> JsonObject {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<A>();
    let mut object = schema.as_object().cloned().unwrap_or_default();
    for key in ["$schema", "title", "description"] {
        object.remove(key);
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is wanted")]
    struct Arguments {
        /// What to look for.
        query: String,
        kind: Option<Kind>,
    }

    #[derive(JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is wanted")]
    enum Kind {
        Struct,
        Trait,
    }

    #[test]
    fn the_schema_is_that_of_the_type() {
        let hints = ToolAnnotations::with_title("Search").read_only(true);
        let tool = serde_json::to_value(define::<Arguments>("search", "Finds.", hints)).unwrap();
        assert_eq!(tool["title"], "Search");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["query"]["description"], "What to look for.");
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        assert!(schema.get("$schema").is_none() && schema.get("title").is_none(), "{schema}");
    }
}
