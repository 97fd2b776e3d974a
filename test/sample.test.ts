/** The embedded sample, against what Go's runtime said of the same addresses inside of the process. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const samples = join(root, 'pipelines', 'samples');
const Profile = protobuf.loadSync(join(root, 'proto', 'profile.proto')).lookupType('perftools.profiles.Profile');

interface Message {
  readonly stringTable: string[];
  readonly location: { id: string; address: string; line?: { functionId: string; line: string }[] }[];
  readonly function: { id: string; name: string; filename: string; startLine: string }[];
  readonly sample: { locationId: string[]; value: string[] }[];
}

/** By protobufjs' reflection, not by our codec; 64-bit numbers as text. */
function decode(path: string): Message {
  const message = Profile.decode(gunzipSync(readFileSync(path)));
  return Profile.toObject(message, { longs: String, arrays: true, defaults: true }) as Message;
}

/** By address: each line as "function file:line (start line)", innermost first. */
function linesByAddress({ stringTable, location, function: functions }: Message): Map<string, string[]> {
  const text = (index: string) => stringTable[Number(index)]!;
  const byId = new Map(functions.map((row) => [row.id, row]));
  return new Map(
    location.map(({ address, line = [] }) => [
      address,
      line.map(({ functionId, line }) => {
        const { name, filename, startLine } = byId.get(functionId)!;
        return `${text(name)} ${text(filename)}:${line} (${startLine})`;
      }),
    ]),
  );
}

test('symbolize finds in the stripped binary what the runtime said: every function, file, line and inlined call', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'symbolize.yml'),
    `input:
  file: { paths: ["${samples}/cpu.pb.gz"] }
stages:
  - symbolize: { binaries: ["${samples}/service"] }
output:
  - file: { path: symbolized.pb.gz }
`,
  );
  const { exitCode, stderr } = pipe(['run', join(folder, 'symbolize.yml')]);
  assert.equal(exitCode, 0, stderr);
  const ours = linesByAddress(decode(join(folder, 'symbolized.pb.gz')));
  const runtimes = linesByAddress(decode(join(samples, 'cpu.named.pb.gz')));
  assert.ok(runtimes.size > 1000);
  assert.deepEqual(ours, runtimes);
});

test('the input of the sample holds no name that the runtime gave', () => {
  const { stringTable, location, function: functions } = decode(join(samples, 'cpu.pb.gz'));
  assert.equal(functions.length, 0);
  assert.ok(location.every(({ line }) => line?.length === 0));
  assert.ok(!stringTable.some((text) => text.includes('main.')));
  assert.deepEqual(
    decode(join(samples, 'cpu.named.pb.gz')).sample.map(({ value }) => value),
    decode(join(samples, 'cpu.pb.gz')).sample.map(({ value }) => value),
  );
});
