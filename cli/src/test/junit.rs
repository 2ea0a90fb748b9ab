//! A report in JUnit's form: a suite for each policy, and a case for each test.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Run;
use crate::exit::Failure;

/// The report.
///
/// # Errors
/// None but those of the library that writes XML.
pub(super) fn report(runs: &[Run]) -> Result<String, Failure> {
    let mut report = Report::new("rtbasc test");
    for run in runs {
        let mut suite = TestSuite::new(run.file.as_str());
        for case in &run.cases {
            let status = match &case.failure {
                None => TestCaseStatus::success(),
                Some(failure) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    let place = format!("{}:{}", failure.file, failure.line);
                    status.set_message(format!("{place}: {}", failure.problem));
                    status.set_description(failure.reason.clone().unwrap_or_default());
                    status
                }
            };
            let mut test = TestCase::new(case.name.as_str(), status);
            test.set_classname(run.file.as_str());
            suite.add_test_case(test);
        }
        report.add_test_suite(suite);
    }
    let failure = |e| Failure::usage(format!("the report cannot be written: {e}"));
    report.to_string().map_err(failure)
}
