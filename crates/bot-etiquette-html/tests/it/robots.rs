//! What is not decided here, but must reach who decides.

use crate::page::read;

#[test]
fn a_page_said_not_to_be_followed_has_no_links_to_follow() {
    let page = read("<meta name=ROBOTS content=NONE><a href=/x>");
    assert_eq!(page.robots[0].content, "NONE");
    assert_eq!((page.links.len(), page.followed(true).count()), (1, 0));
}
