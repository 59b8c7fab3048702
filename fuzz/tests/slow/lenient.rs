//! Evil shapes of JSON to mend.

use crate::check;
use crate::json::json_shapes;

#[test]
fn no_json_is_slow_to_mend() {
    check(json_shapes, &["lenient_json"]);
}
