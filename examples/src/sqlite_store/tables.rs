//! What a transaction does to the rows of the file.

use bot_etiquette::politeness::{
    GroupState, Groups, Host, HostState, Opened, Outcome, Policy, Rules, Timestamp,
};
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Serialize, de::DeserializeOwned};

use super::{Ended, SEEN_EVERY, StoreError, millis};

/// The file within a transaction.
pub(super) struct Tables<'t> {
    pub(super) transaction: &'t Transaction<'t>,
    pub(super) policy: &'t Policy,
}

impl Tables<'_> {
    /// Notes the moment of a decision; how often the clock was stepped back so far.
    pub(super) fn seen(&self, now: Timestamp) -> Result<i64, StoreError> {
        let put = "UPDATE politeness_clock SET seen = ?1 WHERE seen <= ?1 - ?2";
        self.transaction.prepare_cached(put)?.execute(params![millis(now), SEEN_EVERY])?;
        let query = "SELECT steps FROM politeness_clock";
        Ok(self.transaction.prepare_cached(query)?.query_row([], |row| row.get(0))?)
    }

    /// Moves every moment of hosts, groups and leases.
    pub(super) fn step_back(&self, from: Timestamp, to: Timestamp) -> Result<(), StoreError> {
        self.each("politeness_host", |state: &mut HostState| state.step_back(from, to))?;
        self.each("politeness_group", |state: &mut GroupState| state.step_back(from, to))?;
        // Whoever made them goes by another clock, or is gone.
        self.each("politeness_lease", |opened: &mut Opened| opened.step_back(from, to))?;
        let put = "UPDATE politeness_lease SET deadline = max(0, deadline - ?1)";
        self.transaction.execute(put, [millis(from) - millis(to)])?;
        Ok(())
    }

    fn each<T: Serialize + DeserializeOwned>(
        &self,
        table: &'static str,
        change: impl Fn(&mut T),
    ) -> Result<(), StoreError> {
        let (key, value) = if table == "politeness_lease" { ("id", "opened") } else { ("name", "state") };
        let mut query = self.transaction.prepare(&format!("SELECT {key}, {value} FROM {table}"))?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(rusqlite::types::Value, String)> = rows.collect::<rusqlite::Result<_>>()?;
        for (name, state) in rows {
            let mut state: T =
                serde_json::from_str(&state).map_err(|source| StoreError::Row { table, source })?;
            change(&mut state);
            let put = format!("UPDATE {table} SET {value} = ?2 WHERE {key} = ?1");
            self.transaction.execute(&put, params![name, text(table, &state)?])?;
        }
        Ok(())
    }

    pub(super) fn host(&self, host: &Host) -> Result<HostState, StoreError> {
        let query = "SELECT state FROM politeness_host WHERE name = ?1";
        Ok(self.state("politeness_host", query, host.as_str())?.unwrap_or_default())
    }

    pub(super) fn groups(&self, rules: &Rules) -> Result<Groups, StoreError> {
        let query = "SELECT state FROM politeness_group WHERE name = ?1";
        let states = rules.groups().filter_map(|name| {
            let state: Result<Option<GroupState>, _> = self.state("politeness_group", query, name);
            state.transpose().map(|state| Ok((name.into(), state?)))
        });
        states.collect()
    }

    fn state<T: DeserializeOwned>(
        &self,
        table: &'static str,
        query: &str,
        name: &str,
    ) -> Result<Option<T>, StoreError> {
        let text: Option<String> =
            self.transaction.prepare_cached(query)?.query_row([name], |row| row.get(0)).optional()?;
        text.map(|text| serde_json::from_str(&text).map_err(|source| StoreError::Row { table, source }))
            .transpose()
    }

    pub(super) fn write(&self, host: &Host, state: &HostState, groups: &Groups) -> Result<(), StoreError> {
        let put = "INSERT OR REPLACE INTO politeness_host (name, state) VALUES (?1, ?2)";
        let state = text("politeness_host", state)?;
        self.transaction.prepare_cached(put)?.execute(params![host.as_str(), state])?;
        for (name, state) in groups.iter() {
            let put = "INSERT OR REPLACE INTO politeness_group (name, state) VALUES (?1, ?2)";
            let state = text("politeness_group", state)?;
            self.transaction.prepare_cached(put)?.execute(params![name, state])?;
        }
        Ok(())
    }

    pub(super) fn change(
        &self,
        host: &Host,
        change: impl FnOnce(&mut HostState, &Rules, &mut Groups),
    ) -> Result<(), StoreError> {
        let host = self.policy.clock_of(host);
        let rules = self.policy.rules(host);
        let (mut state, mut groups) = (self.host(host)?, self.groups(&rules)?);
        change(&mut state, &rules, &mut groups);
        self.write(host, &state, &groups)
    }

    pub(super) fn open_lease(
        &self,
        host: &Host,
        opened: &Opened,
        deadline: Timestamp,
    ) -> Result<i64, StoreError> {
        let put = "INSERT INTO politeness_lease (host, opened, deadline) VALUES (?1, ?2, ?3)";
        let opened = text("politeness_lease", opened)?;
        self.transaction.prepare_cached(put)?.execute(params![host.as_str(), opened, millis(deadline)])?;
        Ok(self.transaction.last_insert_rowid())
    }

    /// Takes the row of a lease away; whether there was one.
    pub(super) fn close_lease(&self, lease: i64) -> Result<bool, StoreError> {
        let delete = "DELETE FROM politeness_lease WHERE id = ?1";
        Ok(self.transaction.prepare_cached(delete)?.execute([lease])? > 0)
    }

    pub(super) fn end(&self, ended: &Ended, random: f64, now: Timestamp) -> Result<(), StoreError> {
        let in_time = self.close_lease(ended.lease)?;
        let at = ended.at.unwrap_or(now);
        self.change(&ended.host, |state, rules, groups| match (&ended.outcome, in_time) {
            (Some(outcome), true) => state.end(rules, groups, &ended.opened, outcome, random, at),
            (Some(outcome), false) => state.heard(rules, groups, &ended.opened, outcome, random, at),
            (None, true) => state.unsent(rules, groups, &ended.opened),
            (None, false) => {}
        })
    }

    /// Ends the requests that were not ended in time: whoever made them is gone.
    pub(super) fn end_leases(&self, now: Timestamp) -> Result<(), StoreError> {
        let query =
            "SELECT id, host, opened, deadline FROM politeness_lease WHERE deadline <= ?1 ORDER BY deadline";
        let mut query = self.transaction.prepare_cached(query)?;
        let mut rows = query.query([millis(now)])?;
        while let Some(row) = rows.next()? {
            let (id, host, opened): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let deadline = Timestamp::from_millis(u64::try_from(row.get::<_, i64>(3)?).unwrap_or(0));
            let unreadable = |source| StoreError::Row { table: "politeness_lease", source };
            let opened: Opened = serde_json::from_str(&opened).map_err(unreadable)?;
            self.close_lease(id)?;
            if let Ok(host) = host.parse() {
                self.change(&host, |state, rules, groups| {
                    state.end(rules, groups, &opened, &Outcome::aborted(), 0.0, deadline);
                })?;
            }
        }
        Ok(())
    }
}

fn text(table: &'static str, value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|source| StoreError::Row { table, source })
}
