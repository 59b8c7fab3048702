//! All paths of a map as one tree, walked along with the document.

use std::borrow::Cow;

use crate::path::{Name, Step};
use crate::tail::{Endings, Tail};

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    nodes: Vec<Node>,
    /// A format may have its records in one of several places.
    records: Vec<usize>,
    namespaces: bool,
}

#[derive(Debug, Clone, Default)]
struct Node {
    names: Vec<Branch>,
    /// What the name of each ends with.
    endings: Endings,
    attributes: Vec<(Name, usize)>,
    items: Vec<(u64, usize)>,
    rules: Vec<usize>,
    record: bool,
    /// Whether records stand right inside.
    list: bool,
    total: bool,
}

/// The children of one name.
#[derive(Debug, Clone)]
struct Branch {
    name: Name,
    /// The child that asks for nothing more.
    plain: Option<usize>,
    /// By attribute, the children for the elements where it has a value.
    conditions: Vec<(String, Vec<Condition>)>,
}

/// A value of an attribute.
#[derive(Debug, Clone)]
struct Condition {
    value: String,
    tail: Tail,
    node: usize,
}

impl Plan {
    pub(crate) fn new(records: &[Vec<Step>]) -> Self {
        let mut plan = Self { nodes: vec![Node::default()], records: Vec::new(), namespaces: false };
        for steps in records {
            let around = steps.split_last().map_or(&[][..], |(_, around)| around);
            plan.mark(around, |node| node.list = true);
            let record = plan.mark(steps, |node| node.record = true);
            plan.records.push(record);
        }
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
        self.mark(steps, |node| node.total = true);
    }

    fn mark(&mut self, steps: &[Step], mark: impl FnOnce(&mut Node)) -> usize {
        let index = self.grow(0, steps);
        self.nodes.get_mut(index).map(mark);
        index
    }

    fn grow(&mut self, from: usize, steps: &[Step]) -> usize {
        let mut at = from;
        for step in steps {
            self.namespaces |=
                matches!(step, Step::Name { name, .. } | Step::Attribute(name) if name.namespace.is_some());
            let new = self.nodes.len();
            let child = self.nodes.get_mut(at).map_or(new, |node| node.child(step, new));
            if child == new {
                self.nodes.push(Node::default());
            }
            at = child;
        }
        at
    }

    fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }
}

impl Node {
    /// The child that a step leads to: `new` becomes one where there is none yet.
    fn child(&mut self, step: &Step, new: usize) -> usize {
        match step {
            Step::Name { name, with } => {
                let known = self.names.iter().position(|branch| branch.name == *name);
                let at = known.unwrap_or_else(|| {
                    let place = self.names.len();
                    self.endings.add(name.ending(), place);
                    self.names.push(Branch { name: name.clone(), plain: None, conditions: Vec::new() });
                    place
                });
                let Some(branch) = self.names.get_mut(at) else { return new };
                match with {
                    None => *branch.plain.get_or_insert(new),
                    Some((attribute, value)) => branch.condition(attribute, value, new),
                }
            }
            Step::Attribute(name) => known_or(&mut self.attributes, name, new),
            Step::Index(index) => known_or(&mut self.items, index, new),
        }
    }
}

impl Branch {
    fn condition(&mut self, attribute: &str, value: &str, new: usize) -> usize {
        let condition = Condition { value: value.to_owned(), tail: Tail::of(value), node: new };
        match self.conditions.iter_mut().find(|(known, _)| known == attribute) {
            Some((_, values)) => match values.iter().find(|known| known.value == value) {
                Some(known) => return known.node,
                None => values.push(condition),
            },
            None => self.conditions.push((attribute.to_owned(), vec![condition])),
        }
        new
    }

    /// Adds the children whose condition an element meets.
    fn meet<'a>(&self, attribute: impl Fn(&str) -> Option<Cow<'a, str>>, nodes: &mut Vec<usize>) {
        for (name, values) in &self.conditions {
            let Some(actual) = attribute(name) else { continue };
            let tail = Tail::of(&actual);
            let met = values.iter().filter(|known| known.tail == tail && known.value == actual);
            nodes.extend(met.map(|known| known.node));
        }
    }
}

fn known_or<T: Clone + PartialEq>(children: &mut Vec<(T, usize)>, step: &T, new: usize) -> usize {
    if let Some((_, known)) = children.iter().find(|(known, _)| known == step) {
        return *known;
    }
    children.push((step.clone(), new));
    new
}

/// Where in the plan the document is; one frame for each open element, object or array that matters.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    nodes: Vec<usize>,
    frames: Vec<usize>,
}

impl Default for Cursor {
    fn default() -> Self {
        Self::new()
    }
}

impl Cursor {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![0], frames: vec![0] }
    }

    fn here<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = &'a Node> {
        let nodes = self.nodes.get(self.frames.last().copied().unwrap_or(0)..).unwrap_or_default();
        nodes.iter().filter_map(|node| plan.node(*node))
    }

    /// Goes into an element or a member, of the namespace that its prefix is bound to; `false`, and nowhere, when no path
    /// leads there.
    pub(crate) fn enter<'a>(
        &mut self,
        plan: &Plan,
        name: &str,
        namespace: impl Fn() -> Option<&'a str>,
        attribute: impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> bool {
        let start = self.frames.last().copied().unwrap_or(0);
        let end = self.nodes.len();
        let tail = Tail::of(name);
        for at in start..end {
            let Some(node) = self.nodes.get(at).and_then(|node| plan.node(*node)) else { break };
            for place in node.endings.fitting(tail) {
                let Some(branch) = node.names.get(place) else { break };
                if branch.name.is(name, &namespace) {
                    self.nodes.extend(branch.plain);
                    branch.meet(&attribute, &mut self.nodes);
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
            let items = plan.node(node).map_or(&[][..], |node| &node.items);
            self.nodes.extend(items.iter().filter(|(item, _)| *item == index).map(|(_, child)| *child));
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
        self.here(plan).any(|node| node.record)
    }

    /// Whether records stand right inside of this.
    pub(crate) fn at_list(&self, plan: &Plan) -> bool {
        self.here(plan).any(|node| node.list)
    }

    /// Whether the announced total stands here.
    pub(crate) fn at_total(&self, plan: &Plan) -> bool {
        self.here(plan).any(|node| node.total)
    }

    /// The rules that want the value here.
    pub(crate) fn rules<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = usize> + 'a {
        self.here(plan).flat_map(|node| node.rules.iter().copied())
    }

    /// The attributes that are wanted here, with their rules.
    pub(crate) fn attributes<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (&'a Name, usize)> + 'a {
        let wanted = self.here(plan).flat_map(|node| &node.attributes);
        wanted
            .filter_map(|(name, child)| Some((name, plan.node(*child)?)))
            .flat_map(|(name, child)| child.rules.iter().map(move |rule| (name, *rule)))
    }
}
