//! The bytes that are in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes in use now.
pub static IN_USE: AtomicUsize = AtomicUsize::new(0);
/// The most bytes that were in use.
pub static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which counts the bytes in use and the most there were.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }

    // The default would copy each block that grows or shrinks, which the system's allocator mostly need not.
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let now = IN_USE.fetch_add(size, Ordering::Relaxed) + size;
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.realloc(place, layout, size) }
    }
}
