//! Functions of texts against readers that were written from the documents alone.

use proptest::prelude::*;
use rtbas_artifact::function::Function;
use rtbas_artifact::value::Value;
use rtbas_tests::model::function;

/// Texts that are nearly addresses.
fn texts() -> impl Strategy<Value = String> {
    let parts = vec![
        "http://",
        "https://",
        "HTTP://",
        "http:/",
        "//",
        "ftp://",
        "a",
        "b.c",
        "A-1",
        "xn--a",
        "xn",
        "x-",
        "x",
        "n",
        "--",
        "-",
        ".",
        "..",
        "1",
        "127",
        "255",
        "256",
        "01",
        "0x7f",
        "@",
        ":",
        ":80",
        ":123456",
        "/",
        "?",
        "#",
        "\\",
        "%2e",
        " ",
        "\t",
        "\n",
        "\u{0}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{3000}",
        "é",
        "ﬀ",
        "[::1]",
        "user",
        "pw",
        "<",
        ">",
        "+",
        "'",
        "localhost",
        "example.COM",
        "\u{202e}",
    ];
    prop::collection::vec(prop::sample::select(parts), 0..9).prop_map(|parts| parts.concat())
}

fn given(function: Function, text: &str) -> Option<Value> {
    function.of(&Value::Text(text.to_owned()))
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.to_owned()))
}

/// Texts that are nearly dates and times.
fn dates() -> impl Strategy<Value = String> {
    let year =
        prop::sample::select(vec!["2024", "1900", "2000", "0001", "0000", "1969", "9999", "24"]);
    let two = || {
        prop::sample::select(vec![
            "00", "01", "02", "12", "13", "23", "28", "29", "30", "31", "59", "60", "9",
        ])
    };
    let date = (year, two(), two()).prop_map(|(y, m, d)| format!("{y}-{m}-{d}"));
    let end = prop::sample::select(vec![
        "",
        "Z",
        "z",
        "+02:00",
        "-23:59",
        "+24:00",
        "-1:00",
        ":30",
        ":60",
        ":59.5Z",
        ":00.123456789+00:01",
        ":00.1234567890",
        ":00.",
        " Z",
        "+0200",
    ]);
    let time = (prop::sample::select(vec!["T", " ", "t", ""]), two(), two(), end);
    (date, prop::option::of(time)).prop_map(|(date, time)| match time {
        Some((mark, hours, minutes, end)) => format!("{date}{mark}{hours}:{minutes}{end}"),
        None => date,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn functions_give_what_the_documents_say(text in prop_oneof![2 => texts(), 1 => dates()], before in "http://|x@|", end in "|a|/") {
        for text in [text.clone(), format!("{before}{text}{end}")] {
            for of in Function::ALL {
                prop_assert_eq!(given(of, &text), function::apply(of, &text), "{:?} of {:?}", of, text);
            }
        }
    }
}

#[test]
fn times_lie_in_years_of_four_digits() {
    for time in ["9999-12-31T00:01-23:59", "0001-01-01T00:00+00:01"] {
        assert_eq!(given(Function::Time, time), None, "{time}");
        assert_eq!(function::apply(Function::Time, time), None, "{time}");
    }
    assert!(given(Function::Time, "9999-12-31T23:59:59.999999999").is_some());
}

#[test]
fn addresses_that_two_readers_may_take_for_two_have_no_host() {
    let hosts = [
        ("https://Example.com", "example.com"),
        ("HTTP://a.b:8080/x?y=@#z", "a.b"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://localhost?x", "localhost"),
        ("http://xn.x-n.n/é", "xn.x-n.n"),
    ];
    for (url, host) in hosts {
        assert_eq!(given(Function::Host, url), text(host), "{url}");
    }
    let none = [
        "",
        "example.com",
        "//example.com",
        "http:/example.com",
        "http:example.com",
        "ftp://a.b",
        "http://",
        "http:///a",
        "http://a.b:",
        "http://a.b:x",
        "http://user@a.b",
        "http://u:p@a.b",
        "http://a.b\\@c.d",
        "http://a.b#@c.d",
        "http://a.b?@c.d",
        "http://a.b;c.d",
        "http://a..b",
        "http://.a",
        "http://a.",
        "http://-a.b",
        "http://a-.b",
        "http://a_b.c",
        "http://%61.b",
        "http://é.b",
        "http://a．b",
        "http://xn--e-1ga.b",
        "http://XN--a.b",
        "http://[::1]/",
        "http://127.1",
        "http://2130706433",
        "http://0x7f000001",
        "http://0177.0.0.1",
        "http://a.1",
        "http://127.0.0.256",
        "http://a.0x1",
        " http://a.b",
        "http://a.b ",
        "http://a\n.b",
        "http://a.b/\n",
        "http://a.b/\u{0}",
        "http://a.b/\\",
    ];
    for url in none {
        assert_eq!(given(Function::Host, url), None, "{url:?}");
    }
}

#[test]
fn addresses_that_are_not_plain_have_no_domain() {
    assert_eq!(given(Function::Domain, "Ada.L+x@Example.ORG"), text("example.org"));
    let none = [
        "",
        "ada",
        "@a.b",
        "ada@",
        "ada@@a.b",
        "a@b@c",
        "Ada <ada@a.b>",
        "ada@a.b, bob@c.d",
        "\"a\"@b.c",
        "a%b.c@d.e",
        "b.c!a@d.e",
        "a..b@c",
        ".a@b",
        "ada@a.b\r\nBcc: x@y.z",
        "ada@[127.0.0.1]",
        "ada@é.b",
        "ada@xn--a.b",
        "ada@a.b.",
        "ada@1",
        "ada@a b",
        "adá@a.b",
    ];
    for address in none {
        assert_eq!(given(Function::Domain, address), None, "{address:?}");
    }
}
