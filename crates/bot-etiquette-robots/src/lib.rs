//! robots.txt by RFC 9309: parse any bytes, match a URL, and say which line decided.
