/**
 * docs/plugins.md, followed to the letter. Blocks in their order:
 *
 *     console      commands and what they print; `…` stands for anything, alone on a line for any lines. `npm install` is not run here
 *                  (this profpipe and TypeScript are linked into a folder above), test/live/outsider.test.ts runs it
 *     ts, json …   with a path in a comment on the first line: a file of the package
 *     ts           without: a module whose default export is an edit, run on what the block `stacks` behind it says
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Profile } from '../core/profile/profile.js';
import { profileOfStacks, stacksOfProfile } from '../core/testing/index.js';
import { root } from './helpers/pipe.js';

interface Block {
  readonly language: string;
  readonly text: string;
  /** Of its first line in the guide. */
  readonly line: number;
}

const guide = readFileSync(join(root, 'docs', 'plugins.md'), 'utf8');
const blocks: readonly Block[] = [...guide.matchAll(/^```(\w+)\n((?:.*\n)*?)```$/gm)].map((match) => ({
  language: match[1]!,
  text: match[2]!,
  line: guide.slice(0, match.index).split('\n').length + 1,
}));

const home = mkdtempSync(join(tmpdir(), 'profpipe-guide-'));
after(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true });
for (const name of ['typescript', '@types']) {
  symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name));
}
symlinkSync(root, join(home, 'node_modules', 'profpipe'));
const own = join(home, 'profpipe-plugin-slow');
// The reader makes it, then installs it.
symlinkSync(own, join(home, 'node_modules', 'profpipe-plugin-slow'));
const commands = { pipe: 'dist/core/cli/bin.js', tsc: 'node_modules/typescript/bin/tsc' };
for (const [name, file] of Object.entries(commands)) {
  const script = `#!/bin/sh\nexec "${process.execPath}" "${join(root, file)}" "$@"\n`;
  writeFileSync(join(home, 'node_modules', '.bin', name), script, { mode: 0o755 });
}

/** Where the reader is. */
let folder = home;

function writeBlock(block: Block): void {
  const [, path] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(block.text) ?? [];
  if (path === undefined) return;
  const text = block.text.slice(block.text.indexOf('\n') + 1);
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function runConsole({ text, line }: Block): void {
  for (const part of text.split(/^\$ /m).slice(1)) {
    const [command = '', ...expected] = part.trimEnd().split('\n');
    if (command === 'npm install') continue;
    if (command.startsWith('cd ')) {
      folder = resolve(folder, command.slice(3));
      continue;
    }
    const { NODE_TEST_CONTEXT: _, ...clean } = process.env;
    const env = {
      ...clean,
      NO_COLOR: '1',
      NODE_OPTIONS: '--test-reporter=spec', // as on a terminal
      PATH: `${join(home, 'node_modules', '.bin')}:${clean.PATH}`,
    };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env });
    assert.equal(status, 0, `docs/plugins.md:${line}: ${command}\n${stdout}${stderr}`);
    assert.match(stdout, patternOf(expected), `docs/plugins.md:${line}: ${command}`);
  }
}

/** Of the lines of a command's output. */
function patternOf(lines: readonly string[]): RegExp {
  const parts = lines.map((line) => {
    if (line === '…') return '(?:.*\\n)*?';
    const pieces = line.split('…').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return `${pieces.join('.*')}\\n`;
  });
  return new RegExp(`^${parts.join('')}$`);
}

const isEdit = ({ language, text }: Block) => language === 'ts' && !text.startsWith('// ');

test('the guide leads from nothing to a package', () => {
  const kinds = new Set(blocks.map(({ language }) => language));
  assert.deepEqual([...kinds].sort(), ['console', 'json', 'stacks', 'text', 'ts', 'yaml']);
  for (const block of blocks.filter((one) => !isEdit(one))) {
    if (block.language === 'console') runConsole(block);
    else writeBlock(block);
  }
  assert.equal(folder, home);
  assert.ok(existsSync(own));
});

test('the edits of the guide do what it shows', async () => {
  const edits = blocks.flatMap((block, index) => (isEdit(block) ? [{ block, shown: blocks[index + 1]! }] : []));
  assert.ok(edits.length >= 6);
  mkdirSync(join(own, 'src', 'edits'));
  for (const { block } of edits) writeFileSync(join(own, 'src', 'edits', `line${block.line}.ts`), block.text);
  const { status, stdout } = spawnSync(join(home, 'node_modules', '.bin', 'tsc'), { cwd: own, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
  for (const { block, shown } of edits) {
    assert.equal(shown.language, 'stacks', `docs/plugins.md:${block.line}`);
    const [before = '', expected = ''] = shown.text.split('becomes\n');
    const url = pathToFileURL(join(own, 'dist', 'edits', `line${block.line}.js`)).href;
    const { default: edit } = (await import(url)) as { readonly default: (profile: Profile) => Profile };
    assert.equal(stacksOfProfile(edit(profileOfStacks(before))), expected, `docs/plugins.md:${block.line}`);
  }
});

test('the guide is pointed to, and what it points to is there', () => {
  for (const file of ['README.md', 'ARCHITECTURE.md', 'examples/README.md']) {
    assert.match(readFileSync(join(root, file), 'utf8'), /\(.*docs\/plugins\.md\)/, file);
  }
  for (const [, target] of guide.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
    assert.doesNotThrow(() =>
      readFileSync(join(root, 'docs', target!.replace(/^\.\.\/examples\/[^/]+$/, '$&/package.json'))),
    );
  }
});
