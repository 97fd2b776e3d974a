// Closures, generics, sorting with a callback, boxed calls, panics that are caught, threads. Usage: chains ROUNDS
use std::collections::BTreeMap;
use std::hint::black_box;

#[inline(never)]
fn burn(n: u64) -> u64 {
    (0..n).fold(n, |x, i| black_box(x.wrapping_mul(6364136223846793005) ^ i))
}

#[inline(never)]
fn sorting(n: u64) -> usize {
    let mut words: Vec<String> = (0..n).map(|i| (i * 7919 % n).to_string()).collect();
    words.sort_by(|a, b| {
        black_box(burn(5));
        b.cmp(a)
    });
    let index: BTreeMap<_, _> = words.iter().map(|word| (word.clone(), word.len())).collect();
    index.len()
}

#[inline(never)]
fn recursive(depth: u32, n: u64) -> u64 {
    if depth == 0 { burn(n) } else { black_box(recursive(depth - 1, n)) + 1 }
}

#[inline(never)]
fn panicking(n: u32) -> u32 {
    let mut caught = 0;
    for i in 0..n {
        let held = vec![i; 100];
        if std::panic::catch_unwind(|| { if black_box(held.len()) == 100 { std::panic::panic_any(i) } }).is_err() {
            caught += 1;
        }
    }
    caught
}

#[inline(never)]
fn all(n: u64) {
    black_box(sorting(3000 * n));
    black_box(recursive(30, 300_000 * n));
    black_box(panicking(300));
    let calls: Vec<Box<dyn Fn(u64) -> u64>> = vec![Box::new(burn), Box::new(|n| burn(n / 2) + 1)];
    for call in &calls {
        black_box(call(100_000));
    }
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..rounds {
        all(1);
    }
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(|| all(2))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
