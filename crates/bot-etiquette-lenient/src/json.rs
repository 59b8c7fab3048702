//! JSON as servers send it: tokens, repairs and positions.
//!
//! Not a data model: nothing is built, and a string stays undecoded until it is asked for.
//!
//! | seen | becomes | [`RepairKind`] |
//! |---|---|---|
//! | UTF-8 byte order mark | skipped | `Bom` |
//! | `callback(..);` around the document | skipped | `Jsonp` |
//! | `NaN`, `Infinity`, `-Infinity`, `undefined` | `null` | `NotANumber` |
//! | `+1`, `01`, `.5`, `5.` | the number meant | `Number` |
//! | `[1,]`, `[,1]`, `{"a":1,,}` | the comma is skipped | `ExtraComma` |
//! | `{"a":1 "b":2}`, `[{} {}]`, `[[] []]` | as if a comma stood there | `MissingComma` |
//! | `{"a":}`, `{"a":,"b":1}` | `null` | `MissingValue` |
//! | raw control byte in a string | kept as that character | `ControlCharacter` |
//! | `\P` and other unknown escapes | the backslash is text | `Escape` |
//! | `\ud83d` alone | U+FFFD | `Surrogate` |
//! | bytes that are no UTF-8 in a string | U+FFFD | `Utf8` |
//! | the end inside an array, object or token | the token is dropped, what is open is closed | `CutEnd` |
//! | an HTML comment after the document | skipped | `TrailingComment` |
//!
//! All else that is no JSON is a [`JsonError`]. The grammar is that of RFC 8259. A comma is not put between the words or numbers
//! of an array: `"a" "b"` may be a string with quotes inside, `1 000` a number.
//!
//! Several documents in one input are an error; UTF-16 is decoded by [`text::decode`](crate::text::decode) first.

mod error;
mod limits;
mod machine;
mod number;
mod repairs;
mod rewrite;
mod scan;
mod stream;
mod string;
mod tokens;

pub use self::error::{JsonError, JsonErrorKind};
pub use self::limits::Limits;
pub use self::repairs::{Repair, RepairKind, Repairs};
pub use self::rewrite::{Repaired, repair};
pub use self::stream::{Step, Stream};
pub use self::string::JsonStr;
pub use self::tokens::{Token, Tokens};
