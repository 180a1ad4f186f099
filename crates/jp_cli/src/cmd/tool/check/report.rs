//! Prints what is found, as it is found, and counts it.

use jp_printer::Print;

use super::finding::{Finding, Status};
use crate::{
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    format::count,
};

/// Tells what is found.
pub(super) struct Report<'a> {
    ctx: &'a Ctx,
    made: Vec<Finding>,
}

impl<'a> Report<'a> {
    pub(super) fn new(ctx: &'a Ctx) -> Self {
        Self { ctx, made: Vec::new() }
    }

    pub(super) fn add(&mut self, finding: Finding) -> Result {
        if self.ctx.is_json() {
            self.ctx.print_json(&finding.to_json())?;
        } else {
            let text = finding.to_text();
            self.ctx.printer().print(Print::content(&text).untrusted())?;
        }
        self.made.push(finding);
        // A check takes a while, and who watches it wants to see how far it is.
        Ok(self.ctx.printer().flush()?)
    }

    pub(super) fn all(&mut self, findings: impl IntoIterator<Item = Finding>) -> Result {
        findings.into_iter().try_for_each(|finding| self.add(finding))
    }

    /// Says how it went.
    pub(super) fn finish(self) -> Result {
        let of = |status: Status| self.made.iter().filter(|made| made.status == status).count();
        if !self.ctx.is_json() {
            let parts = Status::ALL.map(|status| status.counted(of(status)));
            let checks = count(i64::try_from(self.made.len()).unwrap_or(i64::MAX), "check");
            let text = format!("\n{checks}: {}\n", parts.join(", "));
            self.ctx.printer().print(Print::content(&text))?;
        }
        if of(Status::Failed) == 0 { Ok(()) } else { Err(Error::said(Exit::Failure)) }
    }
}
