//! Nothing of its own: the benches are beside it.
