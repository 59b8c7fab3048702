//! Which of the visible text is what the page is about, by a shallow tree of its parts.
//!
//! The author's word counts first (`main`, a sole `article`); else the smallest part that holds most of the text that is
//! not links. Source for the landmarks: HTML Accessibility API Mappings 1.0.

use std::ops::Range;

use super::names::{Attribute, Element};
use super::tokens::Tag;

/// The elements that make parts of a page, and what else may open inside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Article,
    Aside,
    Div,
    Footer,
    Form,
    Header,
    Main,
    Nav,
    Search,
    Section,
}

const NAMES: usize = 10;

impl Name {
    fn of(tag: &Tag) -> Option<Self> {
        match tag.element() {
            Element::Form => return Some(Self::Form),
            Element::Block => {}
            _ => return None,
        }
        Some(match tag.name.as_slice() {
            b"div" => Self::Div,
            b"section" => Self::Section,
            b"article" => Self::Article,
            b"main" => Self::Main,
            b"header" => Self::Header,
            b"footer" => Self::Footer,
            b"nav" => Self::Nav,
            b"aside" => Self::Aside,
            b"search" => Self::Search,
            _ => return None,
        })
    }
}

/// What a part is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Main,
    Article,
    /// Left out, unless most of the page stands in it: some sites wrap all they have in one form.
    Form,
    /// Navigation, banner, footer, remarks: never what the page is about.
    Beside,
    Part,
}

#[derive(Debug)]
struct Node {
    name: Name,
    role: Role,
    parent: Option<usize>,
    /// In bytes of the visible text.
    text: Range<usize>,
    links: usize,
}

/// The parts of a page, while its tokens go by.
#[derive(Debug)]
pub(super) struct Outline {
    /// The first is the page itself, which no tag begins or ends.
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// How many of each name are open in the tree, and beyond its limits.
    inside: [u32; NAMES],
    beyond: [u32; NAMES],
    max_nodes: usize,
    max_depth: usize,
}

impl Outline {
    pub(super) fn new(max_nodes: usize, max_depth: usize) -> Self {
        let root = Node { name: Name::Div, role: Role::Part, parent: None, text: 0..0, links: 0 };
        Self {
            nodes: vec![root],
            open: vec![0],
            inside: [0; NAMES],
            beyond: [0; NAMES],
            max_nodes,
            max_depth,
        }
    }

    /// A part begins where the visible text has come to `at`.
    pub(super) fn start(&mut self, tag: &Tag, at: usize) {
        if self.max_nodes == 0 {
            return;
        }
        let Some(name) = Name::of(tag) else { return };
        let is_full = self.nodes.len() > self.max_nodes || self.open.len() > self.max_depth;
        let counts = if is_full { &mut self.beyond } else { &mut self.inside };
        if let Some(count) = counts.get_mut(name as usize) {
            *count = count.saturating_add(1);
        }
        if is_full {
            return;
        }
        let role = self.role(name, tag);
        let parent = self.open.last().copied();
        self.open.push(self.nodes.len());
        self.nodes.push(Node { name, role, parent, text: at..at, links: 0 });
    }

    fn role(&self, name: Name, tag: &Tag) -> Role {
        let said = tag.value(Attribute::Role).map(|role| role.trim().to_ascii_lowercase());
        match said.as_deref() {
            Some("main") => return Role::Main,
            Some("article") => return Role::Article,
            Some("navigation" | "banner" | "contentinfo" | "complementary" | "search") => {
                return Role::Beside;
            }
            _ => {}
        }
        let is_open = |name: Name| self.inside.get(name as usize).is_some_and(|count| *count > 0);
        match name {
            Name::Main => Role::Main,
            Name::Article => Role::Article,
            Name::Form => Role::Form,
            Name::Nav | Name::Aside | Name::Search => Role::Beside,
            // Within these they are the part's own, not the page's.
            Name::Header | Name::Footer
                if !(is_open(Name::Article) || is_open(Name::Main) || is_open(Name::Section)) =>
            {
                Role::Beside
            }
            Name::Header | Name::Footer | Name::Section | Name::Div => Role::Part,
        }
    }

    /// A part ends; what is open inside it ends with it, and an end without a start ends nothing.
    pub(super) fn end(&mut self, tag: &Tag, at: usize) {
        if self.max_nodes == 0 {
            return;
        }
        let Some(name) = Name::of(tag) else { return };
        if let Some(count) = self.beyond.get_mut(name as usize).filter(|count| **count > 0) {
            *count = count.saturating_sub(1);
            return;
        }
        if self.inside.get(name as usize).is_none_or(|count| *count == 0) {
            return;
        }
        while let Some(index) = self.open.pop() {
            if self.close(index, at) == Some(name) {
                break;
            }
        }
    }

    /// So many bytes of the text that was just added are that of a link.
    pub(super) fn link_text(&mut self, bytes: usize) {
        if let Some(node) = self.open.last().and_then(|index| self.nodes.get_mut(*index)) {
            node.links = node.links.saturating_add(bytes);
        }
    }

    fn close(&mut self, index: usize, at: usize) -> Option<Name> {
        let node = self.nodes.get_mut(index)?;
        node.text.end = at;
        if let Some(count) = self.inside.get_mut(node.name as usize) {
            *count = count.saturating_sub(1);
        }
        Some(node.name)
    }

    /// The pieces of the visible text, of `length` bytes, that are the main text. Passes over the parts a few times.
    pub(super) fn main_text(mut self, length: usize) -> Vec<Range<usize>> {
        while let Some(index) = self.open.pop() {
            self.close(index, length);
        }
        // The line end after the last word is not kept.
        for node in &mut self.nodes {
            node.text = node.text.start.min(length)..node.text.end.min(length);
        }
        let sums = self.sums(length);
        let chosen = self.named(&sums, length).unwrap_or_else(|| self.densest(&sums, length));
        let pieces = self.without(chosen, length);
        if pieces.is_empty() && length > 0 { std::iter::once(0..length).collect() } else { pieces }
    }

    fn is_left_out(&self, node: &Node, length: usize) -> bool {
        match node.role {
            Role::Beside => true,
            Role::Form => node.text.len().saturating_mul(2) < length,
            Role::Main | Role::Article | Role::Part => false,
        }
    }

    /// Of each part, the bytes that are neither links nor left out. Children come after their parents.
    fn sums(&self, length: usize) -> Vec<usize> {
        let mut lost = vec![0_usize; self.nodes.len()];
        let mut sums = vec![0_usize; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let own = lost.get(index).copied().unwrap_or_default().saturating_add(node.links);
            let size = node.text.len();
            let is_out = self.is_left_out(node, length);
            if let Some(sum) = sums.get_mut(index) {
                *sum = if is_out { 0 } else { size.saturating_sub(own) };
            }
            if let Some(above) = node.parent.and_then(|parent| lost.get_mut(parent)) {
                *above = above.saturating_add(if is_out { size } else { own });
            }
        }
        sums
    }

    /// The first `main` that says anything; else the only `article`, where a third of the text is its own.
    fn named(&self, sums: &[usize], length: usize) -> Option<usize> {
        let of_role = |role| {
            let nodes = self.nodes.iter().zip(sums).enumerate();
            nodes.filter(move |(_, (node, sum))| node.role == role && **sum > 0).map(|(index, _)| index)
        };
        let only_article = || {
            let mut articles = of_role(Role::Article);
            let first = articles.next().filter(|_| articles.next().is_none())?;
            let size = sums.get(first).copied().unwrap_or_default();
            (size.saturating_mul(3) >= length).then_some(first)
        };
        of_role(Role::Main).next().or_else(only_article)
    }

    /// From the outside in, as long as one part holds most of what the part around it does. A page that is a list of links
    /// stays whole.
    fn densest(&self, sums: &[usize], length: usize) -> usize {
        let mut all = sums.first().copied().unwrap_or_default();
        let mut chosen = 0;
        if all.saturating_mul(5) < length {
            return chosen;
        }
        for (index, (node, sum)) in self.nodes.iter().zip(sums).enumerate() {
            if node.parent == Some(chosen) && *sum > 0 && sum.saturating_mul(10) >= all.saturating_mul(7) {
                (chosen, all) = (index, *sum);
            }
        }
        chosen
    }

    /// The text of a part without the parts in it that are left out.
    fn without(&self, chosen: usize, length: usize) -> Vec<Range<usize>> {
        let Some(Node { text, .. }) = self.nodes.get(chosen) else { return Vec::new() };
        let mut pieces = Vec::new();
        let mut at = text.start;
        for node in self.nodes.get(chosen.saturating_add(1)..).unwrap_or_default() {
            if node.text.start >= text.end {
                break;
            }
            if node.text.start >= at && self.is_left_out(node, length) {
                pieces.push(at..node.text.start);
                at = node.text.end.min(text.end);
            }
        }
        pieces.push(at..text.end);
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}
