//! `rtbasc keygen`: makes keys from the system's randomness.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rtbas_artifact::sign::{Algorithm, Signer};
use zeroize::Zeroizing;

use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, Readers};

/// Make a key that signs artifacts
#[derive(Debug, Args)]
pub(crate) struct Keygen {
    /// What kind of key
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,
    /// The file to write; the public half of an ed25519 key goes to FILE.pub
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Kind {
    /// A pair: FILE signs, FILE.pub opens
    #[default]
    Ed25519,
    /// One secret that signs and opens, where one party does both
    Hmac,
}

/// Writes the key files.
pub(crate) fn run(args: &Keygen) -> Outcome {
    let mut secret = Zeroizing::new([0; 32]);
    getrandom::fill(secret.as_mut())
        .map_err(|e| Failure::usage(format!("the system gives no randomness: {e}")))?;
    let (algorithm, signer) = match args.kind {
        Kind::Ed25519 => (Algorithm::Ed25519, Signer::ed25519(&secret)),
        Kind::Hmac => {
            let signer = Signer::hmac(secret.as_ref());
            (Algorithm::Hmac, signer.map_err(|e| Failure::usage(e.to_string()))?)
        }
    };
    let path = args.output.as_path();
    create(path, algorithm.secret_text(&secret).as_bytes(), Readers::Owner)?;
    let (key, path) = (signer.id(), path.display());
    let Some(public) = signer.public_text() else {
        output::print(&format!(
            "key {key}\n  `{path}` signs and opens: keep it from everybody else\n"
        ))?;
        return Ok(Exit::Fine);
    };
    let mut public_path = args.output.clone().into_os_string();
    public_path.push(".pub");
    let public_path = PathBuf::from(public_path);
    create(&public_path, public.as_bytes(), Readers::Default).inspect_err(|_| {
        // Without its public half the secret is of no use, and it is ours to remove.
        let _ = fs::remove_file(&args.output);
    })?;
    output::print(&format!(
        "key {key}\n  `{path}` signs: keep it where policies are built, and nowhere else\n  \
         `{}` opens: give it to engines\n",
        public_path.display()
    ))?;
    Ok(Exit::Fine)
}

fn create(path: &Path, bytes: &[u8], readers: Readers) -> Result<(), Failure> {
    output::create(path, bytes, readers).map_err(|problem| {
        let path = path.display();
        Failure::usage(format!("`{path}` {problem}; give another name with `-o`"))
    })
}
