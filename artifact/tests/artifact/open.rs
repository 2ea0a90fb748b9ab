//! What is sealed opens again; what is not, is refused for the right reason.

use rtbas_artifact::certificate::Property;
use rtbas_artifact::open::{OpenError, Requirements, open};
use rtbas_artifact::seal::{SealError, seal};
use rtbas_artifact::sign::{Signer, TrustedKeys};
use rtbas_artifact::wire::{Frame, FrameError};

use crate::fixture::{
    certificate, chain, ed25519_signer, hmac_signer, open_file, origins, payload, policy,
    seal_again, sealed, signed, signed_payload, trusting, unsigned,
};

#[test]
fn what_is_sealed_opens_again() {
    for signers in
        [vec![hmac_signer()], vec![ed25519_signer()], vec![ed25519_signer(), hmac_signer()]]
    {
        let file = sealed(&signers);
        let artifact = open_file(&file).unwrap();
        let policy = policy();
        assert_eq!(artifact.program().policy(), &policy);
        assert_eq!(artifact.origins(), &origins(&policy));
        assert_eq!(artifact.certificate(), &certificate(&policy));
        assert_eq!(artifact.version(), 3);
        assert_eq!(artifact.signed_by().len(), signers.len());
        assert_eq!(seal_again(&artifact, &signers), file);
    }
}

#[test]
fn the_order_of_keys_changes_nothing() {
    let (a, b) = (hmac_signer(), ed25519_signer());
    assert_eq!(sealed(&[a.clone(), b.clone()]), sealed(&[b, a]));
}

#[test]
fn the_file_is_the_one_that_the_document_describes() {
    assert_eq!(sealed(&[hmac_signer()]), signed_payload(&payload()));
}

/// Files that were written once and never again. `UPDATE=1` writes one that is missing.
#[test]
fn files_of_this_format_open() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/suite/artifact/v2/good");
    let signers = [hmac_signer(), ed25519_signer()];
    let small = format!("{folder}/small.rtbas");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(&small).exists() {
        std::fs::write(&small, sealed(&signers)).unwrap();
    }
    assert_eq!(std::fs::read(small).unwrap(), sealed(&signers));
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = std::fs::read(&path).unwrap();
        let artifact = open_file(&file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(seal_again(&artifact, &signers), file, "{}", path.display());
    }
}

/// A file of a format that was given up is refused before anything in it is read.
#[test]
fn files_of_older_formats_are_refused_by_their_number() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/suite/artifact/v1/good");
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = std::fs::read(entry.unwrap().path()).unwrap();
        assert_eq!(open_file(&file).unwrap_err(), OpenError::Frame(FrameError::Format(1)));
    }
}

#[test]
fn the_frame_can_be_read_without_a_key() {
    let file = sealed(&[hmac_signer(), ed25519_signer()]);
    let frame = Frame::read(&file).unwrap();
    assert_eq!((frame.header().edition, frame.header().version), (1, 3));
    assert_eq!(frame.header().digest, open_file(&file).unwrap().digest());
    let found: Vec<_> = frame.signatures().iter().map(|s| (s.algorithm, s.key)).collect();
    assert_eq!(found, [(1, hmac_signer().id()), (2, ed25519_signer().id())]);
}

#[test]
fn only_trusted_keys_count() {
    let file = sealed(&[hmac_signer()]);
    let open_with = |keys: &TrustedKeys| open(&file, keys, &Requirements::default()).unwrap_err();
    let untrusted = OpenError::UntrustedKeys(vec![hmac_signer().id()]);
    assert_eq!(open_with(&TrustedKeys::default()), untrusted);
    assert_eq!(open_with(&trusting(&[ed25519_signer()])), untrusted);
    assert_eq!(open_with(&trusting(&[Signer::hmac(&[8; 32]).unwrap()])), untrusted);
    let unsigned = [unsigned(1, 3, &payload()), vec![0]].concat();
    assert_eq!(open_file(&unsigned).unwrap_err(), OpenError::Unsigned);
}

#[test]
fn one_of_two_keys_suffices_but_a_false_signature_never_does() {
    let both = [hmac_signer(), ed25519_signer()];
    let file = sealed(&both);
    for key in &both {
        let keys = trusting(std::slice::from_ref(key));
        let artifact = open(&file, &keys, &Requirements::default()).unwrap();
        assert_eq!(artifact.signed_by(), [key.id()]);
    }
    let mut broken = file;
    *broken.last_mut().unwrap() ^= 1;
    let bad = OpenError::BadSignature(ed25519_signer().id());
    assert_eq!(open_file(&broken).unwrap_err(), bad);
}

#[test]
fn signatures_of_unknown_algorithms_are_passed_over() {
    let mut file = sealed(&[hmac_signer()]);
    let count = unsigned(1, 3, &payload()).len();
    file[count] = 2;
    file.extend([9; 9]);
    file.extend([3, 0, 1, 2, 3]);
    assert_eq!(open_file(&file).unwrap().signed_by(), [hmac_signer().id()]);
    file[count + 1] = 8;
    assert!(matches!(open_file(&file), Err(OpenError::UntrustedKeys(keys)) if keys.len() == 2));
}

#[test]
fn the_same_signature_twice_is_refused() {
    let start = unsigned(1, 3, &payload()).len();
    let mut file = sealed(&[hmac_signer()]);
    let again = file[start + 1..].to_vec();
    file.extend(again);
    file[start] = 2;
    assert_eq!(open_file(&file).unwrap_err(), OpenError::Frame(FrameError::Order));
}

#[test]
fn another_file_is_told_from_a_damaged_one() {
    let good = sealed(&[hmac_signer()]);
    let refused = |file: &[u8]| match open_file(file) {
        Err(OpenError::Frame(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(b"policy small"), FrameError::NotAnArtifact);
    assert_eq!(refused(b""), FrameError::CutShort("header"));
    let unix = [b"\x8aRTBAS\n", &good[8..]].concat();
    assert_eq!(refused(&unix), FrameError::SentAsText);
    let as_utf8 = String::from_utf8_lossy(&good).into_owned();
    assert_eq!(refused(as_utf8.as_bytes()), FrameError::SentAsText);
    assert_eq!(refused(&[&good[..], b"\n"].concat()), FrameError::Trailing(1));
    let mut future = good.clone();
    future[8] = 3;
    assert_eq!(refused(&future), FrameError::Format(3));
    let mut absurd = good;
    absurd[20..24].fill(0xff);
    assert_eq!(refused(&absurd), FrameError::CutShort("payload"));
}

#[test]
fn a_header_that_belies_its_payload_is_refused() {
    let payload = payload();
    let header = |edition, version| open_file(&signed(unsigned(edition, version, &payload)));
    assert!(header(1, 3).is_ok());
    assert_eq!(header(2, 3).unwrap_err(), OpenError::Header);
    assert_eq!(header(1, 4).unwrap_err(), OpenError::Header);
    let mut file = unsigned(1, 3, &payload);
    file[24] ^= 1;
    assert_eq!(open_file(&signed(file)).unwrap_err(), OpenError::Digest);
}

#[test]
fn old_versions_can_be_refused() {
    let file = sealed(&[hmac_signer()]);
    let keys = trusting(&[hmac_signer()]);
    let at_least = |minimum_version| {
        let requirements = Requirements { minimum_version, ..Requirements::default() };
        open(&file, &keys, &requirements)
    };
    assert!(at_least(3).is_ok());
    assert_eq!(at_least(4).unwrap_err(), OpenError::RolledBack { found: 3, minimum: 4 });
}

#[test]
fn what_was_not_proved_can_be_refused() {
    let policy = policy();
    let keys = trusting(&[hmac_signer()]);
    for (gone, proof) in certificate(&policy).obligations.into_iter().enumerate() {
        let mut certificate = certificate(&policy);
        certificate.obligations.remove(gone);
        let file = seal(&policy, &origins(&policy), &certificate, &[hmac_signer()]).unwrap();
        let missing = OpenError::NotProved { property: proof.property, subject: proof.subject };
        assert_eq!(open_file(&file).unwrap_err(), missing);
        let others = Property::ALL.into_iter().filter(|p| *p != proof.property).collect();
        let requirements = Requirements { minimum_version: 0, properties: others };
        assert!(open(&file, &keys, &requirements).is_ok());
    }
}

#[test]
fn what_would_not_open_is_not_sealed() {
    let policy = policy();
    let (origins, certificate) = (origins(&policy), certificate(&policy));
    let with = |signers: &[Signer]| seal(&policy, &origins, &certificate, signers);
    assert_eq!(with(&[]), Err(SealError::NoSigner));
    let twice = with(&[hmac_signer(), hmac_signer()]);
    assert_eq!(twice, Err(SealError::SameKey(hmac_signer().id())));
    let mut other = origins.clone();
    other.rules.pop();
    let sealed = seal(&policy, &other, &certificate, &[hmac_signer()]);
    assert_eq!(sealed, Err(SealError::Origins));
    let mut invalid = policy.clone();
    invalid.lattices.push(chain("third", &["one"]));
    let sealed = seal(&invalid, &origins, &certificate, &[hmac_signer()]);
    assert!(matches!(sealed, Err(SealError::Invalid(_))));
}
