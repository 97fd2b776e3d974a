/** The two forms of text, and how to tell them. */

/**
 * `counts` is what `/debug/pprof/goroutine?debug=1` writes, `tracebacks` what `debug=2`, a panic and SIGQUIT write.
 * Source: runtime/pprof/pprof.go printCountProfile, runtime/traceback.go goroutineheader.
 */
export type TextForm = 'counts' | 'tracebacks';

/** `goroutine profile: total 26`: the first line of counts. Every profile that Go counts by stack begins so. */
export const countsHeader = /^([\w./-]+) profile: total (\d{1,18})$/;

/** `goroutine 7 gp=0xc000002380 m=nil [chan receive, 5 minutes, locked to thread] {kind: labelled}:` */
export const goroutineHeader = /^goroutine (\d{1,18})(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\](?: (\{.*\}))?:$/;

/** @param head the first bytes of the input @returns undefined when they are neither */
export function findForm(head: Uint8Array): TextForm | undefined {
  const lines = new TextDecoder().decode(head).split(/\r?\n/);
  if (countsHeader.test(lines[0]!)) return 'counts';
  return lines.some((line) => goroutineHeader.test(line)) ? 'tracebacks' : undefined;
}

/** Byte order marks of UTF-16, which PowerShell's `>` writes. */
export function isUtf16(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}
