/**
 * Frame sizes from the function tables of stripped binaries against the compiler's own: `TEXT name(SB), …, $frame-args` in what
 * -gcflags=-S prints. PROFPIPE_GO_VERSIONS=all runs every version.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionFrames } from '../../core/binary/frames.js';
import { openBinary } from '../../core/binary/open.js';
import { buildGo, goVersions, noGo } from '../helpers/go-toolchain.js';

/** Frame bytes by function, as often as the compiler made it; names of the package itself begin with `"".` before Go 1.20. */
function compiledFrames(messages: string): Map<string, number[]> {
  const frames = new Map<string, number[]>();
  let packagePath = '';
  for (const line of messages.split('\n')) {
    if (line.startsWith('# ')) packagePath = line.slice(2);
    const text = /^\t0x0000 00000 .*\tTEXT\t(.*)\(SB\), (?:.*, )?\$(-?\d+)(?:-\d+)?$/.exec(line);
    if (text === null) continue;
    const name = text[1]!.replaceAll('"".', `${packagePath}.`);
    frames.set(name, [...(frames.get(name) ?? []), Number(text[2])]);
  }
  return frames;
}

for (const version of goVersions(['1.18.10', '1.27.2'])) {
  for (const architecture of ['amd64', 'arm64'] as const) {
    test(`go ${version} ${architecture}: frames are as large as the compiler says`, { skip: noGo(version) }, (t) => {
      const flags = ['-gcflags=go/...=-S', '-ldflags=-s -w'];
      const { path, messages } = buildGo({ version, architecture, program: 'cmd/gofmt', flags });
      const compiled = compiledFrames(messages);
      const wrong: string[] = [];
      let right = 0;
      for (const { function: name, frameBytes } of functionFrames(openBinary(path))) {
        const sizes = compiled.get(name);
        if (sizes === undefined || frameBytes === undefined) continue;
        if (sizes.includes(frameBytes)) right++;
        else wrong.push(`${name}: ${frameBytes}, compiled ${sizes}`);
      }
      t.diagnostic(`${right} of ${right + wrong.length} functions; ${wrong.slice(0, 5).join('; ')}`);
      assert.ok(right > 400, `${right} functions`);
      assert.ok(right / (right + wrong.length) >= 0.999, wrong.slice(0, 20).join('\n'));
    });
  }
}
