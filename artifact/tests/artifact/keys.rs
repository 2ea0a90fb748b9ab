//! Key files, and what keys give away.

use rtbas_artifact::sign::{Algorithm, KeyError, Signer, TrustedKey};

use crate::fixture::{ed25519_signer, hmac_signer};

#[test]
fn key_files_read_back() {
    let secret = std::array::from_fn(|i| u8::try_from(i * 8).unwrap());
    let hmac = Signer::from_text(&Algorithm::Hmac.secret_text(&secret)).unwrap();
    assert_eq!(hmac.id(), Signer::hmac(&secret).unwrap().id());
    assert_eq!(hmac.public_text(), None);
    let ed25519 = Signer::from_text(&Algorithm::Ed25519.secret_text(&secret)).unwrap();
    assert_eq!(ed25519.id(), Signer::ed25519(&secret).id());
    let public = TrustedKey::from_text(&ed25519.public_text().unwrap()).unwrap();
    assert_eq!(public.id(), ed25519.id());
}

/// The key pair of RFC 8032, section 7.1, test 1, so that our bytes are those of the standard.
#[test]
fn public_keys_are_those_of_the_standard() {
    let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    let signer = Signer::from_text(&format!("rtbas-ed25519-secret-v1:{secret}")).unwrap();
    assert_eq!(signer.public_text().unwrap(), format!("rtbas-ed25519-public-v1:{public}\n"));
}

#[test]
fn what_is_no_key_file_is_refused() {
    let sign = |text: &str| Signer::from_text(text).unwrap_err();
    let trust = |text: &str| TrustedKey::from_text(text).unwrap_err();
    for text in ["", "\n", "rtbas-hmac-v1", "ssh-ed25519:00", "rtbas-hmac-v2:00", ":"] {
        assert_eq!((sign(text), trust(text)), (KeyError::NotAKey, KeyError::NotAKey), "{text}");
    }
    for digits in ["0", "0g", "AB", "0 1", "é", "00\n00"] {
        assert_eq!(sign(&format!("rtbas-hmac-v1:{digits}")), KeyError::NotHex, "{digits}");
    }
    let short = "00".repeat(31);
    let long = "00".repeat(33);
    assert_eq!(sign(&format!("rtbas-hmac-v1:{short}")), KeyError::Length(31, "at least 32"));
    for length in [&short, &long] {
        let wrong = KeyError::Length(length.len() / 2, "32");
        assert_eq!(sign(&format!("rtbas-ed25519-secret-v1:{length}")), wrong);
        assert_eq!(trust(&format!("rtbas-ed25519-public-v1:{length}")), wrong);
    }
    assert!(TrustedKey::from_text(&format!("rtbas-hmac-v1:{long}")).is_ok());
}

#[test]
fn the_halves_of_a_pair_are_not_confused() {
    let secret = Algorithm::Ed25519.secret_text(&[9; 32]);
    let public = ed25519_signer().public_text().unwrap();
    assert_eq!(Signer::from_text(&public).unwrap_err(), KeyError::CannotSign);
    assert_eq!(TrustedKey::from_text(&secret).unwrap_err(), KeyError::NotPublic);
}

#[test]
fn keys_that_anybody_can_sign_for_are_refused() {
    // The identity and the other points of small order that have simple encodings.
    let mut identity = [0; 32];
    identity[0] = 1;
    let mut order_two = [0xff; 32];
    (order_two[0], order_two[31]) = (0xec, 0x7f);
    for weak in [identity, [0; 32], order_two] {
        assert_eq!(TrustedKey::ed25519(&weak).unwrap_err(), KeyError::WeakPublicKey);
    }
}

#[test]
fn keys_do_not_print_themselves() {
    let secrets = ["0707", "7, 7", "0909", "9, 9"];
    for signer in [hmac_signer(), ed25519_signer()] {
        let shown = format!("{signer:?} {:?} {:#?}", signer.trusted_key(), signer);
        assert!(shown.contains(&signer.id().to_string()), "{shown}");
        assert!(!secrets.iter().any(|secret| shown.contains(secret)), "{shown}");
    }
}
