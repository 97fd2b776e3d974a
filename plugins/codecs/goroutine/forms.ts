/** The forms of text, and how to tell them. */

/**
 * `tracebacks` is what `/debug/pprof/goroutine?debug=2`, a panic and SIGQUIT write. The others are `debug=1`: of goroutine,
 * goroutineleak and threadcreate, of heap and allocs, of block and mutex.
 * Source: runtime/pprof/pprof.go printCountProfile, writeHeapInternal, writeProfileInternal, runtime/traceback.go goroutineheader.
 */
export type TextForm = 'counts' | 'heap' | 'contention' | 'tracebacks';

/** `goroutine profile: total 26`: the first line of counts. Every profile that Go counts by stack begins so. */
export const countsHeader = /^([\w./-]+) profile: total (\d{1,18})$/;

/** `heap profile: 3: 49408 [5: 65792] @ heap/1048576`; what C++ writes has `heap_v2` or `heapprofile` there, and mappings below. */
export const heapHeader =
  /^heap profile: *(\d{1,18}): *(\d{1,18}) *\[ *(\d{1,18}): *(\d{1,18}) *\] *@ *heap\/(\d{1,18})$/;

export const contentionHeader = /^--- (?:mutex|contention):$/;

/** `goroutine 7 gp=0xc000002380 m=nil [chan receive, 5 minutes, locked to thread] {kind: labelled}:` */
export const goroutineHeader = /^goroutine (\d{1,18})(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\](?: (\{.*\}))?:$/;

/** @param head the first bytes of the input @returns undefined when they are neither */
export function findForm(head: Uint8Array): TextForm | undefined {
  if (isBinary(head)) return undefined;
  const lines = new TextDecoder().decode(head).split(/\r?\n/);
  const first = lines[0]!;
  if (countsHeader.test(first)) return 'counts';
  if (heapHeader.test(first)) return 'heap';
  if (contentionHeader.test(first)) return 'contention';
  return lines.some((line) => goroutineHeader.test(line)) ? 'tracebacks' : undefined;
}

/** Of profiles that are no text, which most inputs are: no text begins with such bytes, and to decode it takes longer than to see that. */
function isBinary(head: Uint8Array): boolean {
  return head.subarray(0, 16).some((byte) => byte < 7);
}

/** Byte order marks of UTF-16, which PowerShell's `>` writes. */
export function isUtf16(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}
