//! The build of the Java peer, and how its programs are run.

use std::{
    env, fs,
    path::Path,
    process::Command,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

/// Runs `main`, a class of the Java peer, with Redisson of `version`.
pub(crate) fn command(version: &str, main: &str) -> Command {
    with_flags(&QUICK, &classpath(version), main)
}

/// The same, with classes of one more folder.
///
/// Where Kryo takes an object for one of another class, it must throw an exception: by way of
/// `Unsafe` it would read any memory, and crash.
pub(crate) fn command_with(version: &str, classes: &Path, main: &str) -> Command {
    let classpath = format!("{}:{}", classpath(version), classes.display());
    let flags = [&QUICK[..], &["-Dkryo.unsafe=false"]].concat();
    with_flags(&flags, &classpath, main)
}

/// The JVM of a scenario lives for seconds: start fast rather than run fast.
const QUICK: [&str; 3] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
];

/// Runs `main` as a service would run: with a full JIT compiler and 1 GB.
pub(crate) fn service(version: &str, main: &str) -> Command {
    with_flags(&["-Xmx1g"], &classpath(version), main)
}

fn with_flags(flags: &[&str], classpath: &str, main: &str) -> Command {
    let mut command = Command::new("java");
    command.args(flags);
    // The JVM does not look at TMPDIR.
    command.arg(format!("-Djava.io.tmpdir={}", env::temp_dir().display()));
    command.args(["-cp", classpath, main]);
    command.env("LC_ALL", UTF_8);
    command
}

/// Builds the Java peer against `version` of Redisson if its sources are newer than the last build.
///
/// Maven writes the file `classpath` last, so its time is that of a complete build.
fn classpath(version: &str) -> String {
    static BUILD: Mutex<()> = Mutex::new(());
    // The lock guards no data, so after a failed build the next version may try.
    let _one_at_a_time = BUILD.lock().unwrap_or_else(PoisonError::into_inner);

    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let target = project.join("target").join(version);
    let classpath = target.join("classpath");
    let built = modified(&classpath);
    if any_newer(&project.join("src"), built) || modified(&project.join("pom.xml")) > built {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-Dstyle.color=never", "process-classes"]);
        maven.arg(format!("-Dredisson.version={version}"));
        maven.current_dir(project).env("LC_ALL", UTF_8);
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

/// True if a file below `directory` was written after `built`.
fn any_newer(directory: &Path, built: Option<SystemTime>) -> bool {
    let entries = fs::read_dir(directory).expect("sources are here");
    let mut paths = entries.map(|entry| entry.expect("sources can be listed").path());
    paths.any(|path| {
        if path.is_dir() {
            any_newer(&path, built)
        } else {
            modified(&path) > built
        }
    })
}

/// `None` if there is no such file; it compares as older than any time.
fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

/// One class has a Cyrillic name, and Java spells file names as the locale does.
const UTF_8: &str = "C.UTF-8";
