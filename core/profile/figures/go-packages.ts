/** What the names of Go functions say of the packages that they are in. */

/**
 * Import path of a function's package, as the linker writes it: "net/http" of `net/http.(*conn).serve`. Undefined for names that are not
 * Go's, and for what the compiler makes for types (`type:.eq.…`).
 */
export function goPackage(name: string): string | undefined {
  // Type arguments hold paths of other packages: main.Map[example.com/x.Key].
  const bracket = name.indexOf('[');
  const plain = bracket < 0 ? name : name.slice(0, bracket);
  if (/^(type|go):/.test(plain) || plain.includes('::')) return undefined;
  const slash = plain.lastIndexOf('/');
  const dot = plain.indexOf('.', slash + 1);
  return dot <= 0 || dot === slash + 1 ? undefined : plain.slice(0, dot);
}

/** First elements of the import paths of Go 1.16 to 1.27's own packages. Source: `go list std`. */
const standardRoots = new Set(
  (
    'archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image ' +
    'index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync ' +
    'syscall testing text time unicode unique unsafe uuid vendor weak'
  ).split(' '),
);

/** Whether an import path is of Go's distribution: the runtime, the standard library, and what they bring along (`vendor/…`). */
export function isStandardPackage(path: string): boolean {
  return standardRoots.has(firstElement(path));
}

/**
 * Whether it is the runtime: the package `runtime`, those below it, and the internal ones that it is made of.
 * Source: `go list -deps runtime` of Go 1.16 to 1.27.
 */
export function isRuntimePackage(path: string): boolean {
  return (
    firstElement(path) === 'runtime' ||
    /^internal\/(runtime\/.*|abi|asan|bytealg|byteorder|chacha8rand|coverage\/rtcov|cpu|goarch|godebugs|goexperiment|goos|msan|profilerecord|race|strconv|stringslite|trace\/.*)$/.test(
      path,
    )
  );
}

function firstElement(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}
