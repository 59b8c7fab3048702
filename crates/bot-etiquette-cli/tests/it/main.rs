//! The command as people and scripts run it.

mod referee;
