// Code that V8 makes while it runs, with frame pointers; under --perf-basic-prof it has names. Usage: program.js ROUNDS
function leaf(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}
function middle(n) {
  return leaf(n) + 1;
}
function sorted(n) {
  const words = Array.from({ length: n }, (_, i) => String((i * 7919) % n));
  return words.sort((a, b) => (middle(200) & 1) * 0 + (a < b ? 1 : -1)).length;
}
let total = 0;
for (let round = 0; round < Number(process.argv[2]); round++) total += middle(3_000_000) + sorted(3000);
console.log(total & 1);
