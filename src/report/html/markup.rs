//! Elements of HTML and SVG. Whatever is written goes through here: names are of ours, and every text and every value of an
//! attribute is escaped. An element is closed where it was opened, so that what is written is always well-formed, as XML too.

/// Markup that is being written.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

/// An attribute: its name, and its value before it is escaped.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    /// All that was written.
    pub(super) fn finish(self) -> String {
        self.0
    }

    /// The declaration that makes a browser follow the standard.
    pub(super) fn doctype(&mut self) {
        self.0.push_str("<!DOCTYPE html>\n");
    }

    /// An element, and what it holds.
    pub(super) fn element(&mut self, name: &'static str, attributes: &[Attribute<'_>], inside: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        self.0.push('>');
        inside(self);
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// An element that holds a text.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.element(name, attributes, |markup| markup.text(text));
    }

    /// An element that holds nothing.
    pub(super) fn empty(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.open(name, attributes);
        self.0.push_str("/>");
    }

    /// The style sheet, which is ours: nothing in it is escaped.
    pub(super) fn style(&mut self, sheet: &'static str) {
        self.0.push_str("<style>");
        self.0.push_str(sheet);
        self.0.push_str("</style>");
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // Nothing that comes here holds one, and XML has no way to write them.
                character if character.is_control() && character != '\n' => {}
                character => self.0.push(character),
            }
        }
    }

    /// A line break between elements, for whoever reads the source.
    pub(super) fn line(&mut self) {
        self.0.push('\n');
    }

    fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.0.push('<');
        self.0.push_str(name);
        for (attribute, value) in attributes {
            self.0.push(' ');
            self.0.push_str(attribute);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_and_a_value_stay_texts_whatever_they_hold() {
        let hostile = "</p><script>alert('x')</script>&\"\u{1b}[31m\u{0}";
        let mut markup = Markup::default();
        markup.leaf("p", &[("title", hostile)], hostile);
        let escaped = "&lt;/p&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;[31m";
        assert_eq!(markup.finish(), format!("<p title=\"{escaped}\">{escaped}</p>"));
    }

    #[test]
    fn elements_close_where_they_were_opened() {
        let mut markup = Markup::default();
        markup.element("ul", &[], |list| {
            list.leaf("li", &[("class", "a")], "one");
            list.empty("hr", &[]);
        });
        assert_eq!(markup.finish(), "<ul><li class=\"a\">one</li><hr/></ul>");
    }
}
