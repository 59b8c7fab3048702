//! The words of the page in its seven languages.

/// The languages that the page has words in.
pub const LANGUAGES: [&str; 7] = ["es", "ca", "en", "fr", "it", "de", "pt"];

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = [$es:literal, $ca:literal, $en:literal, $fr:literal, $it:literal, $de:literal, $pt:literal],)*) => {
        /// A phrase of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Phrase {
            $($(#[$doc])* $name,)*
        }

        impl Phrase {
            /// Every phrase.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The phrase in one of [`LANGUAGES`]; in Spanish where the language is none of them.
            #[must_use]
            pub fn say(self, language: &str) -> &'static str {
                let all = match self { $(Self::$name => [$es, $ca, $en, $fr, $it, $de, $pt],)* };
                all[LANGUAGES.iter().position(|known| *known == language).unwrap_or(0)]
            }
        }
    };
}

words! {
    /// The language's own name.
    Language = ["español", "català", "English", "français", "italiano", "Deutsch", "português"],
    /// The title.
    Title = ["Qué pasa en la ciudad", "Què passa a la ciutat", "What is on in the city", "Que se passe-t-il en ville", "Cosa succede in città", "Was in der Stadt los ist", "O que acontece na cidade"],
    /// The events.
    Events = ["Actividades", "Activitats", "Events", "Événements", "Eventi", "Veranstaltungen", "Eventos"],
    /// A column.
    When = ["Cuándo", "Quan", "When", "Quand", "Quando", "Wann", "Quando"],
    /// A column.
    What = ["Qué", "Què", "What", "Quoi", "Cosa", "Was", "O quê"],
    /// A column.
    Where = ["Dónde", "On", "Where", "Où", "Dove", "Wo", "Onde"],
    /// A column.
    Price = ["Precio", "Preu", "Price", "Prix", "Prezzo", "Preis", "Preço"],
    /// For nothing.
    Free = ["gratis", "gratuït", "free", "gratuit", "gratuito", "frei", "grátis"],
    /// A column.
    Source = ["Fuente", "Font", "Source", "Source", "Fonte", "Quelle", "Fonte"],
    /// A column.
    Licence = ["Licencia", "Llicència", "Licence", "Licence", "Licenza", "Lizenz", "Licença"],
    /// The sources.
    Sources = ["Fuentes de los datos", "Fonts de les dades", "Data sources", "Sources des données", "Fonti dei dati", "Datenquellen", "Fontes dos dados"],
    /// Every so often.
    Every = ["Cada", "Cada", "Every", "Toutes les", "Ogni", "Alle", "A cada"],
    /// A column.
    LastNew = ["Última descarga (200)", "Última descàrrega (200)", "Last taken (200)", "Dernier téléchargement (200)", "Ultimo scaricamento (200)", "Zuletzt geladen (200)", "Última transferência (200)"],
    /// A column.
    LastSame = ["Última vez sin cambios (304)", "Darrera vegada sense canvis (304)", "Last unchanged (304)", "Dernière fois inchangé (304)", "Ultima volta invariato (304)", "Zuletzt unverändert (304)", "Última vez sem alterações (304)"],
    /// A column.
    Changes = ["Nuevas / cambiadas / retiradas", "Noves / canviades / retirades", "New / changed / gone", "Nouveaux / modifiés / retirés", "Nuovi / cambiati / rimossi", "Neu / geändert / entfallen", "Novos / alterados / retirados"],
    /// A column.
    Next = ["Próxima petición, no antes de", "Propera petició, no abans de", "Next request, not before", "Prochaine requête, pas avant", "Prossima richiesta, non prima di", "Nächste Anfrage, nicht vor", "Próximo pedido, não antes de"],
    /// A column.
    State = ["Estado", "Estat", "State", "État", "Stato", "Zustand", "Estado"],
    /// Turned off.
    Off = ["apagada", "apagada", "off", "désactivée", "spenta", "abgeschaltet", "desligada"],
    /// It goes well.
    Fine = ["en orden", "en ordre", "in order", "en ordre", "in ordine", "in Ordnung", "em ordem"],
    /// Not readable since a moment that follows.
    Since = ["Se muestran los últimos datos buenos; sin lectura desde", "Es mostren les últimes dades bones; sense lectura des de", "The last good data are shown; not read since", "Dernières bonnes données affichées ; non lu depuis", "Si mostrano gli ultimi dati buoni; non letto dal", "Gezeigt wird der letzte gute Stand; nicht gelesen seit", "Mostram-se os últimos dados bons; sem leitura desde"],
    /// Before the word that follows nothing happened yet.
    Never = ["nunca", "mai", "never", "jamais", "mai", "nie", "nunca"],
    /// E-mail addresses.
    Mails = ["direcciones de correo", "adreces de correu", "e-mail addresses", "adresses e-mail", "indirizzi e-mail", "E-Mail-Adressen", "endereços de e-mail"],
    /// Telephone numbers, and that both are kept.
    PhonesKept = ["números de teléfono guardados", "números de telèfon desats", "phone numbers kept", "numéros de téléphone conservés", "numeri di telefono conservati", "Telefonnummern gespeichert", "números de telefone guardados"],
    /// What was taken out of texts.
    TakenOut = ["retirados de los textos", "retirats dels textos", "taken out of the texts", "retirés des textes", "tolti dai testi", "aus den Texten entfernt", "retirados dos textos"],
    /// Telephone numbers.
    Phones = ["números de teléfono", "números de telèfon", "phone numbers", "numéros de téléphone", "numeri di telefono", "Telefonnummern", "números de telefone"],
    /// That a text is a translation; the language it came from follows.
    Translated = ["traducido de", "traduït de", "translated from", "traduit de", "tradotto da", "übersetzt aus", "traduzido de"],
    /// What the field does.
    Filter = ["Buscar", "Cerca", "Search", "Rechercher", "Cerca", "Suchen", "Procurar"],
    /// Shown by another source too.
    Also = ["también en", "també a", "also in", "aussi dans", "anche in", "auch bei", "também em"],
    /// The politeness report.
    Politeness = ["Lo permitido y lo pedido", "El permès i el demanat", "What is allowed and what was asked", "Ce qui est permis et ce qui a été demandé", "Quanto è permesso e quanto è stato chiesto", "Was erlaubt ist und was gefragt wurde", "O permitido e o pedido"],
    /// A column.
    Host = ["Servidor", "Servidor", "Server", "Serveur", "Server", "Server", "Servidor"],
    /// A column.
    AllowedADay = ["Permitidas al día", "Permeses al dia", "Allowed a day", "Permises par jour", "Permesse al giorno", "Erlaubt am Tag", "Permitidos por dia"],
    /// Nothing in robots.txt bounds it.
    NoBound = ["sin límite", "sense límit", "no bound", "sans limite", "senza limite", "unbegrenzt", "sem limite"],
    /// A column.
    AskedADay = ["Pedidas en el día de más uso", "Demanades el dia de més ús", "Asked on the busiest day", "Demandées le jour le plus chargé", "Chieste nel giorno più intenso", "Gefragt am vollsten Tag", "Pedidos no dia mais intenso"],
    /// A column.
    OfThem = ["de ellas, sin cambios", "d'aquestes, sense canvis", "of them unchanged", "dont inchangées", "di cui invariate", "davon unverändert", "deles, sem alterações"],
    /// A column.
    Pause = ["Pausa (s)", "Pausa (s)", "Pause (s)", "Pause (s)", "Pausa (s)", "Pause (s)", "Pausa (s)"],
    /// A column.
    Reviewed = ["robots.txt revisado", "robots.txt revisat", "robots.txt reviewed", "robots.txt revu", "robots.txt rivisto", "robots.txt geprüft", "robots.txt revisto"],
    /// A column.
    Today = ["Última mirada", "Última ullada", "Last look", "Dernier coup d'œil", "Ultima occhiata", "Letzter Blick", "Último olhar"],
    /// That texts are as published and who is to be thanked.
    Thanks = ["Los datos se muestran abreviados; el original está siempre enlazado.", "Les dades es mostren abreujades; l'original sempre està enllaçat.", "The data are shown shortened; the original is always linked.", "Les données sont abrégées ; l'original est toujours en lien.", "I dati sono abbreviati; l'originale è sempre collegato.", "Die Daten sind gekürzt; das Original ist immer verlinkt.", "Os dados são abreviados; o original está sempre ligado."],
}
