//! The parameters of a request, as Kubernetes reads them.

use std::borrow::Cow;

use super::refusal::Refusal;

/// The parameters of a request.
#[derive(Debug)]
pub(super) struct Query<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Query<'a> {
    /// Reads what follows the question mark.
    pub(super) fn read(query: Option<&'a str>) -> Self {
        Self(form_urlencoded::parse(query.unwrap_or_default().as_bytes()).collect())
    }

    /// The text of a parameter; `None` where it is empty or missing.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.given(name).filter(|text| !text.is_empty())
    }

    /// A yes or no; `None` where it is missing. Whatever is not no is yes.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.given(name).map(|text| !(text == "0" || text.eq_ignore_ascii_case("false")))
    }

    /// A whole number; `None` where it is empty or missing.
    ///
    /// # Errors
    /// A [`Refusal`] if it is none.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let parsed = text.parse().map_err(|error: std::num::ParseIntError| {
            Refusal::bad_request(format!("strconv.ParseInt: parsing {text:?}: {}", why(&error)))
        });
        parsed.map(Some)
    }

    fn given(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref())
    }
}

/// Why a text is no number, as Go words it.
pub(super) fn why(error: &std::num::ParseIntError) -> &'static str {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    if matches!(error.kind(), PosOverflow | NegOverflow) { "value out of range" } else { "invalid syntax" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_no_is_yes() {
        let flags = Query::read(Some("a=1&b=true&c=&d=bogus&e=0&f=FALSE&g"));
        let told: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| flags.flag(name)).into();
        let yes = Some(true);
        assert_eq!(told, [yes, yes, yes, yes, Some(false), Some(false), yes, None]);
    }

    #[test]
    fn what_is_no_number_is_refused_in_gos_words() {
        let query = Query::read(Some("a=5&b=&c=x&d=99999999999999999999&e=-1"));
        assert_eq!(query.number("a"), Ok(Some(5)));
        assert_eq!(query.number("b"), Ok(None));
        assert_eq!(query.number("e"), Ok(Some(-1)));
        let refused = |text: &str| Err(Refusal::bad_request(format!("strconv.ParseInt: parsing {text}")));
        assert_eq!(query.number("c"), refused("\"x\": invalid syntax"));
        assert_eq!(query.number("d"), refused("\"99999999999999999999\": value out of range"));
    }

    #[test]
    fn parameters_are_decoded() {
        let query = Query::read(Some("labelSelector=app+in+%28a%2Cb%29"));
        assert_eq!(query.text("labelSelector"), Some("app in (a,b)"));
        assert_eq!(Query::read(None).text("labelSelector"), None);
    }
}
