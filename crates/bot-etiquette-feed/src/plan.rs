//! All paths of a map as one tree, walked along with the document.

use crate::path::{Name, Step};

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    nodes: Vec<Node>,
    /// A format may have its records in one of several places.
    records: Vec<usize>,
    /// What stands around them.
    lists: Vec<usize>,
    namespaces: bool,
}

#[derive(Debug, Clone, Default)]
struct Node {
    step: Option<Step>,
    children: Vec<usize>,
    rules: Vec<usize>,
    total: bool,
    /// Whether a child asks for attributes.
    attributes: bool,
}

impl Plan {
    pub(crate) fn new(records: &[Vec<Step>]) -> Self {
        let mut plan =
            Self { nodes: vec![Node::default()], records: Vec::new(), lists: Vec::new(), namespaces: false };
        let around =
            |steps: &[Step]| steps.split_last().map(|(_, around)| around.to_vec()).unwrap_or_default();
        plan.lists = records.iter().map(|steps| plan.grow(0, &around(steps))).collect();
        plan.records = records.iter().map(|steps| plan.grow(0, steps)).collect();
        plan
    }

    pub(crate) fn add_rule(&mut self, steps: &[Step], rule: usize) {
        for record in self.records.clone() {
            let node = self.grow(record, steps);
            if let Some(node) = self.nodes.get_mut(node) {
                node.rules.push(rule);
            }
        }
    }

    /// Whether a path asks for a namespace.
    pub(crate) fn namespaces(&self) -> bool {
        self.namespaces
    }

    pub(crate) fn add_total(&mut self, steps: &[Step]) {
        let node = self.grow(0, steps);
        if let Some(node) = self.nodes.get_mut(node) {
            node.total = true;
        }
    }

    fn grow(&mut self, from: usize, steps: &[Step]) -> usize {
        let mut at = from;
        for step in steps {
            let known = self
                .children(at)
                .find(|child| self.nodes.get(*child).is_some_and(|node| node.step.as_ref() == Some(step)));
            self.namespaces |=
                matches!(step, Step::Name { name, .. } | Step::Attribute(name) if name.namespace.is_some());
            at = known.unwrap_or_else(|| {
                let new = self.nodes.len();
                self.nodes.push(Node { step: Some(step.clone()), ..Node::default() });
                let attribute = !matches!(step, Step::Name { with: None, .. } | Step::Index(_));
                if let Some(node) = self.nodes.get_mut(at) {
                    node.children.push(new);
                }
                // A condition looks at the element's own attributes, an attribute step at its parent's.
                let asks = if matches!(step, Step::Attribute(_)) { at } else { new };
                if let Some(node) = self.nodes.get_mut(asks).filter(|_| attribute) {
                    node.attributes = true;
                }
                new
            });
        }
        at
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.nodes.get(node).into_iter().flat_map(|node| node.children.iter().copied())
    }
}

/// Where in the plan the document is; one frame for each open element, object or array that matters.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    nodes: Vec<usize>,
    frames: Vec<usize>,
}

impl Cursor {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![0], frames: vec![0] }
    }

    fn here(&self) -> &[usize] {
        self.nodes.get(self.frames.last().copied().unwrap_or(0)..).unwrap_or_default()
    }

    /// Goes into an element or a member, of the namespace that its prefix is bound to; `false`, and nowhere, when no path
    /// leads there.
    pub(crate) fn enter<'a, 'p>(
        &mut self,
        plan: &'p Plan,
        name: &str,
        namespace: Option<&str>,
        attribute: impl Fn(&str) -> Option<std::borrow::Cow<'a, str>>,
    ) -> bool {
        let start = self.frames.last().copied().unwrap_or(0);
        let end = self.nodes.len();
        // Most conditions ask for the same attribute: it is looked up once.
        let mut asked: Option<(&str, Option<std::borrow::Cow<'a, str>>)> = None;
        let mut has = |name: &'p str, value: &str| {
            let (_, actual) = match asked.take() {
                Some(known) if known.0 == name => asked.insert(known),
                _ => asked.insert((name, attribute(name))),
            };
            actual.as_deref() == Some(value)
        };
        for at in start..end {
            let Some(node) = self.nodes.get(at).copied() else { break };
            for child in plan.children(node) {
                let Some(Node { step: Some(step), .. }) = plan.nodes.get(child) else { continue };
                let Step::Name { name: wanted, with } = step else { continue };
                let fits =
                    wanted.is(name, namespace) && with.as_ref().is_none_or(|(name, value)| has(name, value));
                if fits {
                    self.nodes.push(child);
                }
            }
        }
        if self.nodes.len() == end {
            return false;
        }
        self.frames.push(end);
        true
    }

    /// Goes into item `index` of an array; an array is passed through, so all paths go on.
    pub(crate) fn enter_item(&mut self, plan: &Plan, index: u64) {
        let start = self.frames.last().copied().unwrap_or(0);
        let end = self.nodes.len();
        for at in start..end {
            let Some(node) = self.nodes.get(at).copied() else { break };
            self.nodes.push(node);
            for child in plan.children(node) {
                if plan.nodes.get(child).is_some_and(|node| node.step == Some(Step::Index(index))) {
                    self.nodes.push(child);
                }
            }
        }
        self.frames.push(end);
    }

    /// Goes into an element that no path leads to, whose text is wanted all the same.
    pub(crate) fn stay(&mut self) {
        self.frames.push(self.nodes.len());
    }

    pub(crate) fn leave(&mut self) {
        if let Some(start) = self.frames.pop() {
            self.nodes.truncate(start);
        }
    }

    /// Whether this is a record.
    pub(crate) fn at_record(&self, plan: &Plan) -> bool {
        self.here().iter().any(|node| plan.records.contains(node))
    }

    /// Whether records stand right inside of this.
    pub(crate) fn at_list(&self, plan: &Plan) -> bool {
        self.here().iter().any(|node| plan.lists.contains(node))
    }

    /// Whether the announced total stands here.
    pub(crate) fn at_total(&self, plan: &Plan) -> bool {
        self.here().iter().any(|node| plan.nodes.get(*node).is_some_and(|node| node.total))
    }

    /// The rules that want the value here.
    pub(crate) fn rules<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = usize> + 'a {
        self.here()
            .iter()
            .filter_map(|node| plan.nodes.get(*node))
            .flat_map(|node| node.rules.iter().copied())
    }

    /// The attributes that are wanted here, with their rules.
    pub(crate) fn attributes<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (&'a Name, usize)> + 'a {
        self.here()
            .iter()
            .filter(|node| plan.nodes.get(**node).is_some_and(|node| node.attributes))
            .flat_map(|node| plan.children(*node))
            .filter_map(|child| plan.nodes.get(child))
            .filter_map(|node| match &node.step {
                Some(Step::Attribute(name)) => Some((name, node)),
                _ => None,
            })
            .flat_map(|(name, node)| node.rules.iter().map(move |rule| (name, *rule)))
    }
}
