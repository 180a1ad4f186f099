//! Projects on the servers of tests.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use jp_project::ProjectFiles;
use jp_test::Server;

/// Opens projects.
pub(crate) trait Projects {
    /// An empty project.
    fn project(&self) -> Arc<dyn ProjectFiles>;

    /// The project `x` with other options.
    fn project_with(&self, changes: &[(&str, &str)]) -> Arc<dyn ProjectFiles>;
}

impl Projects for Server {
    fn project(&self) -> Arc<dyn ProjectFiles> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let root = format!("projects/{}", NEXT.fetch_add(1, Ordering::Relaxed));
        jp_opendal::open(self.scheme, &self.options, &root).unwrap()
    }

    fn project_with(&self, changes: &[(&str, &str)]) -> Arc<dyn ProjectFiles> {
        let mut options = self.options.clone();
        options.extend(changes.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        jp_opendal::open(self.scheme, &options, "x").unwrap()
    }
}
