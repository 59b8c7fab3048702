//! Personal data that is nobody's: the worlds of the demonstrations hold it where real hosts do, and nothing that a bot
//! writes may.

/// A mailbox.
pub const EMAIL: &str = "persona.privada@correo.example";

/// A telephone number.
pub const PHONE: &str = "600 000 417";

/// A Spanish identity number, with the letter that belongs to it.
pub const DNI: &str = "99999999R";

/// The account that the registry of IBANs gives as Spain's example.
pub const IBAN: &str = "ES91 2100 0418 4502 0005 1332";

/// All of it.
pub const ALL: [&str; 4] = [EMAIL, PHONE, DNI, IBAN];
