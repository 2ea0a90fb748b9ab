//! What one asks of a policy that is proved: `verify`, `check --told`, `flows` and `diff`.

use std::fs;

use insta::{assert_snapshot, with_settings};
use rtbas_artifact::ir::Effect;
use rtbas_artifact::open::{Requirements, open};
use rtbas_artifact::seal::seal;
use rtbas_artifact::sign::{Signer, TrustedKey, TrustedKeys};

use crate::run::{Folder, POLICY, repository};

fn with_artifact() -> Folder {
    let folder = Folder::with_policy();
    folder.write("other.key", format!("rtbas-hmac-v1:{}\n", "08".repeat(32)));
    folder.run(&["build", "hello.pol", "-o", "hello.rtbas", "--key", "hmac.key"]);
    folder
}

/// The policy and one that a change made of it.
fn changed(from: &str, to: &str) -> Folder {
    let folder = Folder::with_policy();
    assert!(POLICY.contains(from), "{from}");
    folder.write("new.pol", POLICY.replace(from, to));
    folder
}

#[test]
fn help_says_how_to_ask() {
    let folder = Folder::new();
    for command in ["verify", "flows", "diff"] {
        assert_snapshot!(folder.run(&[command, "--help"]));
    }
}

#[test]
fn what_ships_is_proved_again() {
    let folder = with_artifact();
    assert_snapshot!(folder.run(&["verify", "hello.rtbas", "--key", "hmac.key"]));
    assert_snapshot!(folder.run(&["verify", "hello.rtbas", "--key", "other.key"]));
    assert_snapshot!(folder.run(&["verify", "hello.rtbas"]));
}

/// Whoever has the key can sign anything, with any certificate; then the proofs are what is left.
#[test]
fn what_is_signed_and_not_proved_is_refused() {
    let folder = with_artifact();
    let key = fs::read_to_string(folder.path("hmac.key")).unwrap();
    let keys = TrustedKeys::from(TrustedKey::from_text(&key).unwrap());
    let signer = || [Signer::from_text(&key).unwrap()];
    let bytes = folder.read("hello.rtbas");
    let artifact = open(&bytes, &keys, &Requirements::default()).unwrap();
    let (policy, certificate) = (artifact.program().policy(), artifact.certificate());
    let mut loose = policy.clone();
    for rule in loose.tools.iter_mut().flat_map(|tool| &mut tool.rules) {
        let turned = [(Effect::Allow, Effect::Confirm), (Effect::Confirm, Effect::Allow)];
        let turned =
            turned.into_iter().find(|(from, _)| rule.when.is_some() && *from == rule.effect);
        rule.effect = turned.map_or(Effect::Allow, |(_, to)| to);
    }
    let bytes = seal(&loose, artifact.origins(), certificate, &signer()).unwrap();
    folder.write("loose.rtbas", bytes);
    assert_snapshot!(folder.run(&["verify", "loose.rtbas", "--key", "hmac.key"]));
    let mut boast = certificate.clone();
    boast.obligations[0].subject = "everything".to_owned();
    let bytes = seal(policy, artifact.origins(), &boast, &signer()).unwrap();
    folder.write("boast.rtbas", bytes);
    assert_snapshot!(folder.run(&["verify", "boast.rtbas", "--key", "hmac.key"]));
    boast.obligations.clear();
    let bytes = seal(policy, artifact.origins(), &boast, &signer()).unwrap();
    folder.write("modest.rtbas", bytes);
    let shown = folder.run(&["verify", "modest.rtbas", "--key", "hmac.key"]);
    assert!(shown.contains("its certificate lacks 12 of the following; build it again"), "{shown}");
}

#[test]
fn the_trusted_base_can_be_read_by_itself() {
    let folder = Folder::with_policy();
    assert_snapshot!(folder.run(&["check", "hello.pol", "--told"]));
    assert_snapshot!(folder.run(&["check", "hello.pol", "--told", "--format", "json"]));
}

#[test]
fn all_flows_are_listed() {
    let folder = Folder::with_policy();
    assert_snapshot!(folder.run(&["flows", "hello.pol"]));
    assert_snapshot!(folder.run(&["flows", "hello.pol", "--approved", "--format", "dot"]));
}

#[test]
fn a_flow_comes_with_its_session_or_there_is_none() {
    let folder = Folder::with_policy();
    let from_mail = ["flows", "hello.pol", "--from", "mail"];
    let ask = |rest: &[&str]| folder.run(&[from_mail.as_slice(), rest].concat());
    assert_snapshot!(ask(&["--to", "send_mail"]));
    assert_snapshot!(ask(&["--to", "send_mail", "--approved"]));
    assert_snapshot!(ask(&["--to", "mail", "--approved"]));
    assert_snapshot!(ask(&["--to", "mail", "--approved", "--direct"]));
    assert_snapshot!(ask(&["--to", "reply", "--format", "json"]));
    assert_snapshot!(ask(&[]));
    assert_snapshot!(folder.run(&["flows", "hello.pol", "--to", "send_mail.to"]));
}

#[test]
fn a_name_that_there_is_not_is_named() {
    let folder = Folder::with_policy();
    for arguments in [["--from", "mial"], ["--from", "send_mail.to"], ["--to", "weather"]] {
        assert_snapshot!(folder.run(&[["flows", "hello.pol"].as_slice(), &arguments].concat()));
    }
}

#[test]
fn flows_can_be_looked_at() {
    let folder = Folder::with_policy();
    let svg = folder.run(&["flows", "hello.pol", "--format", "svg"]);
    assert!(svg.contains("<svg") && svg.contains("read_mail.result"), "{svg}");
    let arguments = ["flows", "hello.pol", "--from", "mail", "--to", "reply", "--format", "html"];
    let page = folder.run(&arguments);
    assert!(page.contains("default-src 'none'") && !page.contains("<script"), "{page}");
    assert!(page.contains("data:image/svg+xml;base64,"), "{page}");
    assert_eq!(page, folder.run(&arguments));
}

#[test]
fn outsiders_flow_only_where_they_write() {
    let banking = repository("examples/agentdojo/banking.pol");
    let banking = banking.to_str().unwrap();
    let shown = Folder::new().run(&["flows", banking, "--from", "outsiders", "--to", "send_money"]);
    with_settings!({ filters => vec![(r"\$ rtbasc flows \S+", "$ rtbasc flows banking.pol")] }, {
        assert_snapshot!(shown);
    });
}

#[test]
fn no_difference_is_said() {
    let folder = changed("version 2", "version 3");
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol"]));
}

#[test]
fn what_a_change_opens_is_shown_by_a_call() {
    let folder = changed(" and to == me", "");
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol"]));
    assert_snapshot!(folder.run(&["diff", "new.pol", "hello.pol"]));
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol", "--format", "json"]));
}

#[test]
fn a_label_that_is_lowered_opens_flows() {
    let folder = changed("store mail : {untrusted, private}", "store mail : {trusted, private}");
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol"]));
}

#[test]
fn a_lattice_may_change() {
    let folder = changed("{ trusted -> untrusted }", "{ trusted -> staff -> untrusted }");
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol"]));
    let text = POLICY.replace("{ trusted -> untrusted }", "{ trusted -> staff -> untrusted }");
    folder.write(
        "new.pol",
        text.replace("context <= {trusted, private}", "context <= {staff, private}"),
    );
    assert_snapshot!(folder.run(&["diff", "hello.pol", "new.pol"]));
}

#[test]
fn artifacts_can_be_compared() {
    let folder = with_artifact();
    folder.write("new.pol", POLICY.replace(" and to == me", ""));
    assert_snapshot!(folder.run(&["diff", "hello.rtbas", "new.pol", "--key", "hmac.key"]));
    assert_snapshot!(folder.run(&["diff", "hello.rtbas", "new.pol"]));
}

#[test]
fn every_question_to_the_solver_can_be_read() {
    let folder = Folder::with_policy();
    let arguments = ["check", "hello.pol", "--told", "--smt-lib", "asked"];
    let shown = folder.run(&arguments);
    assert!(shown.ends_with("exit code 0\n"), "{shown}");
    assert_snapshot!(String::from_utf8(folder.read("asked/00001.smt2")).unwrap());
    assert_snapshot!(folder.run(&arguments));
}
