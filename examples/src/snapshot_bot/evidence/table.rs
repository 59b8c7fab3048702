//! A table of pages as CSV: known by what it holds, since names and headers follow the language of the account.

use std::collections::BTreeMap;

use url::Url;

use super::{EvidenceError, Export, PageDemand, Source, number};

/// Of a hundred rows so many name a page, or it is another table.
const PAGES_OF_HUNDRED: usize = 90;

/// What the first column of a table of queries is called.
const QUERIES: &[&str] = &[
    "top queries",
    "queries",
    "query",
    "keyword",
    "keywords",
    "search query",
    "häufigste suchanfragen",
    "suchanfragen",
    "requêtes les plus fréquentes",
    "principales requêtes",
    "requêtes",
    "principales consultas",
    "consultas principales",
    "consultas",
    "query principali",
    "query più frequenti",
    "principais consultas",
    "populairste zoekopdrachten",
    "zoekopdrachten",
    "najczęstsze zapytania",
    "zapytania",
    "популярные запросы",
    "запросы",
    "上位のクエリ",
    "クエリ",
];

const CLICKS: &[&str] = &[
    "clicks",
    "klicks",
    "clics",
    "clic",
    "cliques",
    "klikken",
    "kliknięcia",
    "клики",
    "クリック数",
    "tıklama",
    "kliknutí",
    "κλικ",
];

const IMPRESSIONS: &[&str] = &[
    "impressions",
    "impressionen",
    "impresiones",
    "impressioni",
    "impressões",
    "vertoningen",
    "wyświetlenia",
    "показы",
    "表示回数",
    "görüntüleme",
    "zobrazení",
    "εμφανίσεις",
];

/// Which column is what.
#[derive(Clone, Copy)]
struct Columns {
    clicks: usize,
    impressions: usize,
    ctr: usize,
    position: usize,
}

const GOOGLE: Columns = Columns { clicks: 1, impressions: 2, ctr: 3, position: 4 };
const BING: Columns = Columns { clicks: 2, impressions: 1, ..GOOGLE };
/// Two spans side by side; the first is the newer.
const COMPARISON: Columns = Columns { clicks: 1, impressions: 3, ctr: 5, position: 7 };

pub(super) fn read(text: &str) -> Result<Export, EvidenceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader
        .records()
        .collect::<Result<_, _>>()
        .map_err(|error| EvidenceError::Unreadable(error.to_string()))?;
    let first = |row: &csv::StringRecord| row.get(0).unwrap_or_default().trim().to_owned();
    let header = rows.first().filter(|row| !is_page(&first(row)));
    let name = header.map(&first).unwrap_or_default();
    if QUERIES.contains(&name.to_lowercase().as_str()) {
        return Err(EvidenceError::QuerySheet(name));
    }
    let body = rows.get(usize::from(header.is_some())..).unwrap_or_default();
    let body: Vec<&csv::StringRecord> =
        body.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
    let (pages, others): (Vec<&csv::StringRecord>, Vec<_>) =
        body.iter().copied().partition(|row| is_page(&first(row)));
    let totals = others.iter().filter(|row| first(row).eq_ignore_ascii_case("total")).count();
    if pages.is_empty() || pages.len() * 100 < (body.len() - totals) * PAGES_OF_HUNDRED {
        return Err(EvidenceError::NoPages(name));
    }
    let columns = columns(header, &pages);
    let is_bing = columns.clicks == BING.clicks && columns.impressions == BING.impressions;
    let mut sums = Sums::default();
    for row in &pages {
        let cell = |at: usize| row.get(at).unwrap_or_default();
        sums.add(PageDemand {
            url: first(row),
            clicks: number::whole(cell(columns.clicks)),
            impressions: number::whole(cell(columns.impressions)),
            ctr: number::decimal(cell(columns.ctr)),
            position: number::position(cell(columns.position)),
        });
    }
    let source = if is_bing { Source::BingTable } else { Source::GoogleTable };
    Ok(Export { source, pages: sums.pages(), dropped: others.len() })
}

/// The pages, each once: a page that is named twice is counted together.
#[derive(Default)]
pub(super) struct Sums {
    order: Vec<PageDemand>,
    at: BTreeMap<String, usize>,
}

impl Sums {
    pub(super) fn add(&mut self, page: PageDemand) {
        let Some(known) = self.at.get(&page.url).and_then(|at| self.order.get_mut(*at)) else {
            self.at.insert(page.url.clone(), self.order.len());
            self.order.push(page);
            return;
        };
        let weight = |page: &PageDemand| page.impressions.unwrap_or(0) as f64;
        let (old, new) = (weight(known), weight(&page));
        known.position = match (known.position, page.position) {
            (Some(a), Some(b)) if old + new > 0.0 => Some((a * old + b * new) / (old + new)),
            (a, b) => a.or(b),
        };
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        known.impressions = sum(known.impressions, page.impressions);
        known.clicks = sum(known.clicks, page.clicks);
        let (clicks, shown) = (known.clicks.unwrap_or(0) as f64, known.impressions.unwrap_or(0) as f64);
        known.ctr = (shown > 0.0).then_some(clicks / shown * 100.0);
    }

    pub(super) fn pages(self) -> Vec<PageDemand> {
        self.order
    }
}

/// Whether a cell names a page: a URL, or a path of the property.
pub(super) fn is_page(cell: &str) -> bool {
    cell.starts_with('/') || Url::parse(cell).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// By the header's names; where they are unknown, by the order in which CTR is clicks of impressions.
fn columns(header: Option<&csv::StringRecord>, rows: &[&csv::StringRecord]) -> Columns {
    let named = |names: &[&str]| {
        let mut cells = header?.iter().skip(1);
        cells.position(|cell| names.contains(&cell.trim().to_lowercase().as_str())).map(|at| at + 1)
    };
    if rows.first().is_some_and(|row| row.len() >= 9) {
        return COMPARISON;
    }
    match (named(CLICKS), named(IMPRESSIONS)) {
        (Some(clicks), Some(impressions)) => Columns { clicks, impressions, ..GOOGLE },
        _ => [GOOGLE, BING].into_iter().find(|columns| fits(columns, rows)).unwrap_or(GOOGLE),
    }
}

/// Whether the rows' CTR is what these columns make of it, within one percent.
fn fits(columns: &Columns, rows: &[&csv::StringRecord]) -> bool {
    rows.iter().take(100).all(|row| {
        let cell = |at: usize| row.get(at).unwrap_or_default();
        let (clicks, shown) = (number::whole(cell(columns.clicks)), number::whole(cell(columns.impressions)));
        let (Some(clicks), Some(shown), Some(ctr)) = (clicks, shown, number::decimal(cell(columns.ctr)))
        else {
            return true;
        };
        clicks <= shown && (shown == 0 || (clicks as f64 / shown as f64 * 100.0 - ctr).abs() <= 1.0)
    })
}

/// The one that the first line holds most often, outside quotes.
fn delimiter(text: &str) -> u8 {
    let (mut counts, mut quoted) = ([0_usize; 3], false);
    const MARKS: [u8; 3] = [b',', b';', b'\t'];
    for byte in text.lines().next().unwrap_or_default().bytes() {
        quoted ^= byte == b'"';
        if let Some(at) = MARKS.iter().position(|mark| *mark == byte && !quoted) {
            counts[at] += 1;
        }
    }
    let most = (0..3).max_by_key(|at| (counts[*at], 3 - at)).unwrap_or(0);
    MARKS[most]
}
