//! Medians of the thread's processor time.

use std::time::Duration;

use cpu_time::ThreadTime;

/// The median of each of these, from interleaved rounds: a busy machine slows all alike.
pub fn medians<const N: usize>(rounds: usize, works: [&dyn Fn(); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (work, times) in works.iter().zip(&mut times) {
            let start = ThreadTime::now();
            work();
            times.push(start.elapsed());
        }
    }
    times.map(|times| median(&times))
}

/// The one in the middle.
pub fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}
