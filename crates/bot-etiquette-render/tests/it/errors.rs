//! What is said when there is no browser, or none that will do.

use std::{io::Write as _, path::PathBuf};

use bot_etiquette_render::{MIN_MAJOR, RenderConfig, RenderError, Renderer, Sandbox};

use crate::support::{browser, page};

async fn refused(config: RenderConfig) -> RenderError {
    Renderer::launch(config).await.expect_err("no browser")
}

/// A program that is no browser, for as long as the folder lives.
#[cfg(unix)]
fn program(text: &str) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("browser");
    let mut file = std::fs::File::create(&path).unwrap();
    writeln!(file, "#!/bin/sh\n{text}").unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
    drop(file);
    (folder, path)
}

#[tokio::test]
async fn a_browser_that_is_not_there_is_named_with_the_package_that_brings_one() {
    let error = refused(RenderConfig::default().browser("/nowhere/chromium")).await;
    assert!(matches!(error, RenderError::NoBrowser { .. }) && !error.is_about_the_page());
    for part in ["/nowhere/chromium", "package chromium", "RenderConfig::browser"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_setting_that_cannot_be_is_refused_before_anything_is_started() {
    let error = refused(RenderConfig::default().pages(0).browser("/nowhere")).await;
    assert_eq!(error.to_string(), "RenderConfig::pages: 0 renders no page: at least 1");
}

#[cfg(unix)]
#[tokio::test]
async fn a_browser_that_ends_at_once_is_quoted() {
    let (_folder, path) = program("echo 'error while loading shared libraries: libnss3.so' >&2; exit 127");
    let error = refused(RenderConfig::default().browser(path).sandbox(Sandbox::Off)).await;
    assert!(matches!(error, RenderError::NotReady { .. }), "{error:?}");
    assert!(
        error.to_string().ends_with("it ended; it said: error while loading shared libraries: libnss3.so"),
        "{error}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_browser_of_the_wrong_version_is_told_which_one_is_needed() {
    for (product, taken) in [("Chrome/131.9.9.9", false), ("Chrome/132.0.0.0", true), ("Lynx", false)] {
        // Answers the two commands of the start, each once it has come, and then waits for the end.
        let answers = format!(
            "head -c 1 <&3 >/dev/null; printf '{{\"id\":1,\"result\":{{\"product\":\"{product}\"}}}}\\0' >&4\n\
             head -c 51 <&3 >/dev/null; printf '{{\"id\":2,\"result\":{{}}}}\\0' >&4; cat <&3 >/dev/null"
        );
        let (_folder, path) = program(&answers);
        match Renderer::launch(RenderConfig::default().browser(path).sandbox(Sandbox::Off)).await {
            Ok(renderer) => assert_eq!((taken, renderer.version().major), (true, MIN_MAJOR)),
            Err(RenderError::Version { found, least }) => {
                assert_eq!((taken, found.as_str(), least), (false, product, MIN_MAJOR))
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn root_is_refused_unless_going_without_a_sandbox_was_chosen() {
    use std::os::unix::fs::MetadataExt as _;
    let (_folder, path) = program("exit 0");
    let root = std::fs::metadata(&path).unwrap().uid() == 0;
    let error = refused(RenderConfig::default().browser(path)).await;
    assert_eq!(matches!(error, RenderError::Root), root, "{error}");
    assert_eq!(error.to_string().contains("Sandbox::Off"), root, "{error}");
}

#[tokio::test]
async fn what_is_no_page_is_refused_and_the_browser_goes_on() {
    let Some(renderer) = browser!() else { return };
    let error =
        renderer.render(page("file:///etc/passwd", ""), |_| std::future::pending()).await.unwrap_err();
    assert!(error.to_string().contains("neither http: nor https:"), "{error}");
    let rendered =
        crate::support::Memory::default().render(&renderer, page("http://shop.example/", "<title>x")).await;
    assert_eq!(rendered.title, "x");
    renderer.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_browser_leaves_neither_process_nor_profile() {
    let Some(renderer) = browser!() else { return };
    let process = renderer.process_id().await.unwrap();
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap();
    let line = String::from_utf8_lossy(&line).into_owned();
    let profile =
        line.split(['\0', ' ']).find_map(|flag| flag.strip_prefix("--user-data-dir=")).unwrap().to_owned();
    assert!(std::path::Path::new(&profile).is_dir(), "{profile}");
    renderer.close().await;
    assert!(!std::path::Path::new(&profile).exists(), "{profile}");
    assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
}
