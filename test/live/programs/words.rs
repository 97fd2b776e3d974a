// Generics, closures, iterators and formatting: code of many crates in one program.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Plain(String),
    Number(i64),
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Plain(text) => write!(out, "{text}"),
            Word::Number(value) => write!(out, "#{value}"),
        }
    }
}

trait Weigh {
    fn weight(&self) -> usize;
}

impl Weigh for Word {
    #[inline(always)]
    fn weight(&self) -> usize {
        match self {
            Word::Plain(text) => text.chars().filter(|letter| letter.is_alphanumeric()).count(),
            Word::Number(value) => value.unsigned_abs() as usize % 10,
        }
    }
}

fn parse(text: &str) -> Vec<Word> {
    text.split_whitespace()
        .map(|word| word.parse().map(Word::Number).unwrap_or_else(|_| Word::Plain(word.to_lowercase())))
        .collect()
}

fn sorted<Key: Ord + Clone, Value>(from: HashMap<Key, Value>) -> Vec<(Key, Value)> {
    let mut pairs: Vec<_> = from.into_iter().collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs
}

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "three words 42 and 17 more Words".into());
    let words = parse(&text);
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut by_weight: BTreeMap<usize, Vec<&Word>> = BTreeMap::new();
    for word in &words {
        *counts.entry(word.to_string()).or_default() += 1;
        by_weight.entry(word.weight()).or_default().push(word);
    }
    for (word, count) in sorted(counts) {
        println!("{word} {count}");
    }
    println!("{by_weight:?}");
}
