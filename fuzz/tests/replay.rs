//! Every seed and every regression once more, on any compiler: what was mended stays mended.

use std::fs;
use std::path::{Path, PathBuf};

use bot_etiquette_fuzz::TARGETS;

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a folder that can be read").path()).collect();
    files.sort();
    files
}

#[test]
fn every_seed_and_regression_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, run) in TARGETS {
        let seeds = files(&root.join("seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let regressions = files(&root.join("regressions").join(name));
        for file in seeds.iter().chain(&regressions) {
            let data = fs::read(file).expect("a file that can be read");
            // A panic names the target by its message only; the file is what one needs to go on.
            eprintln!("{name} {}", file.display());
            run(&data);
        }
        println!("{name}: {} seeds, {} regressions", seeds.len(), regressions.len());
    }
}

#[test]
fn every_target_has_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, _) in TARGETS {
        assert!(root.join("fuzz_targets").join(format!("{name}.rs")).is_file(), "{name}");
    }
}
