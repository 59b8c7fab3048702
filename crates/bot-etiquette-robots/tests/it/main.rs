//! robots.txt from the outside: the protocol's clauses, given cases, limits, hostile files, properties.

mod cases;
