//! `Serialize` and `Deserialize` for an identity, in the keys of the configuration file.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeStruct};

use crate::{BotIdentity, Profile, config::File, profile::is_default};

impl<'de> Deserialize<'de> for BotIdentity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        File::deserialize(deserializer)?.build().map_err(D::Error::custom)
    }
}

impl Serialize for BotIdentity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("BotIdentity", 14)?;
        fields.serialize_field("user_agent", self.user_agent.as_str())?;
        fields.serialize_field("token", &self.token)?;
        fields.serialize_field("page", self.page.as_str())?;
        fields.serialize_field("contact", self.contact.as_str())?;
        match &self.from {
            Some(from) => fields.serialize_field("from", from.as_str())?,
            None => fields.skip_field("from")?,
        }
        match &self.key_file {
            Some(path) => fields.serialize_field("key_file", path)?,
            None => fields.skip_field("key_file")?,
        }
        match &self.directory {
            Some(url) => fields.serialize_field("directory", url.as_str())?,
            None => fields.skip_field("directory")?,
        }
        fields.serialize_field("loopback_only", &self.loopback_only)?;
        let Profile { policy, about, addresses, card, promise, text } = &self.profile;
        macro_rules! unless_empty {
            ($($field:ident),*) => {$(
                if is_default($field) {
                    fields.skip_field(stringify!($field))?;
                } else {
                    fields.serialize_field(stringify!($field), $field)?;
                }
            )*};
        }
        unless_empty!(policy, about, addresses, card, promise, text);
        fields.end()
    }
}
