//! Opening an artifact: signature, digest, decoding and all validation.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use rtbas_artifact::open::{Requirements, open};
use rtbas_benches::artifact;

fn load(c: &mut Criterion) {
    let banking = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/agentdojo/banking.pol");
    let (bytes, keys) = artifact(&banking);
    let requirements = Requirements::default();
    c.bench_function("load/banking", |b| {
        b.iter(|| open(black_box(&bytes), &keys, &requirements).expect("it was just made"));
    });
}

criterion_group!(benches, load);
criterion_main!(benches);
