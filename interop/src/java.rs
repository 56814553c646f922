//! The build of the Java peer.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

/// Builds the Java peer against `version` of Redisson if its sources are newer than the last build.
///
/// Maven writes the file `classpath` last, so its time is that of a complete build.
pub(crate) fn classpath(version: &str) -> String {
    static BUILD: Mutex<()> = Mutex::new(());
    // A build that failed leaves nothing behind the lock, so the next version may try.
    let _one_at_a_time = BUILD.lock().unwrap_or_else(PoisonError::into_inner);

    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let target = project.join("target").join(version);
    let classpath = target.join("classpath");
    let sources = fs::read_dir(project.join("src/main/java/interop")).expect("sources are here");
    let sources = sources.map(|source| source.expect("sources can be listed").path());
    let mut sources = sources.chain([project.join("pom.xml")]);
    let built = modified(&classpath);
    if sources.any(|source| modified(&source) > built) {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-Dstyle.color=never", "process-classes"]);
        maven.arg(format!("-Dredisson.version={version}"));
        maven.current_dir(project);
        let output = maven.output().expect("mvn is installed");
        assert!(
            output.status.success(),
            "{maven:?}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    let jars = fs::read_to_string(&classpath).expect("the build has written its class path");
    format!("{}:{}", target.join("classes").display(), jars.trim())
}

/// `None`, which is before any time, if there is no such file.
fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}
