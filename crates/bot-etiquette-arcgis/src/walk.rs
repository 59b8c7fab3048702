//! The walk over a server's directory: the root, then each folder once.

use std::collections::{BTreeSet, VecDeque};

use crate::address::{Root, ServiceUrl};
use crate::answer::Parsed;
use crate::directory::{Directory, ServiceType};
use crate::outcome::Problem;
use crate::request::Request;

/// Folders within folders at the most. ArcGIS Server has one level; the limit stops a server that invents more.
pub const FOLDER_DEPTH: usize = 3;

/// A walk over one root. A folder that fails costs only itself; one that is listed twice is read once.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, DirectoryWalk};
///
/// let mut walk = DirectoryWalk::new("https://gis.example.org/arcgis/rest/services".parse()?);
/// assert_eq!(walk.next().unwrap().url.path(), "/arcgis/rest/services");
/// walk.answered(Answer::body(br#"{"folders":["Water"],"services":[]}"#).read());
/// assert_eq!(walk.next().unwrap().url.path(), "/arcgis/rest/services/Water");
/// // The folder lists itself, which changes nothing.
/// walk.answered(Answer::body(br#"{"folders":["Water"],"services":[{"name":"Water/Wells","type":"MapServer"}]}"#).read());
/// assert!(walk.next().is_none());
/// assert_eq!(walk.services()[0].name(), "Water/Wells");
/// # Ok::<(), bot_etiquette_arcgis::AddressError>(())
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryWalk {
    root: Root,
    /// Folders to read, the root being the one without a name.
    pending: VecDeque<String>,
    seen: BTreeSet<String>,
    listed: BTreeSet<(String, ServiceType)>,
    services: Vec<ServiceUrl>,
    problems: Vec<(String, Problem)>,
}

impl DirectoryWalk {
    /// A walk that has read nothing yet.
    #[must_use]
    pub fn new(root: Root) -> Self {
        Self {
            root,
            pending: VecDeque::from([String::new()]),
            seen: BTreeSet::from([String::new()]),
            listed: BTreeSet::new(),
            services: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The request to send now; none at the end. A folder that robots.txt closes is passed over by [`skip`](Self::skip).
    #[must_use]
    pub fn next(&self) -> Option<Request> {
        let folder = self.pending.front()?;
        Some(if folder.is_empty() { self.root.directory() } else { self.root.folder(folder) })
    }

    /// Takes the answer of the request.
    pub fn answered(&mut self, answer: Result<Parsed<Directory>, Problem>) {
        let Some(folder) = self.pending.pop_front() else { return };
        let directory = match answer {
            Ok(parsed) => parsed.facts,
            Err(problem) => {
                self.problems.push((folder, problem));
                return;
            }
        };
        for name in directory.folders {
            // Folders of folders are told by their own name alone, or by the whole path.
            let path = if folder.is_empty() || name == folder || name.starts_with(&format!("{folder}/")) {
                name
            } else {
                format!("{folder}/{name}")
            };
            let is_near = path.split('/').count() <= FOLDER_DEPTH;
            if is_near && self.seen.insert(path.clone()) {
                self.pending.push_back(path);
            }
        }
        for entry in &directory.services {
            if self.listed.insert((entry.name.clone(), entry.service_type.clone())) {
                self.services.push(self.root.service(entry));
            }
        }
    }

    /// Passes over the folder whose turn it is, without a request: it is closed by robots.txt.
    pub fn skip(&mut self) {
        self.pending.pop_front();
    }

    /// The services found so far, each once.
    #[must_use]
    pub fn services(&self) -> &[ServiceUrl] {
        &self.services
    }

    /// The folders that could not be read (the root is the empty name), and why.
    #[must_use]
    pub fn problems(&self) -> &[(String, Problem)] {
        &self.problems
    }
}
