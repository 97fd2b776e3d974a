/**
 * Authors of plugins, from outside: `npm pack` of this project into fresh folders, nothing linked. What `pipe plugin init` writes and the
 * packages of examples/ are installed, compiled, tested, packed, and run by a user who installs them.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { root } from '../helpers/pipe.js';

const home = mkdtempSync(join(tmpdir(), 'profpipe-outsider-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** @returns stdout */
function run(folder: string, command: string, ...args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _, ...clean } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: clean });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

const npm = (folder: string, ...args: readonly string[]) =>
  run(folder, 'npm', ...args, '--no-audit', '--no-fund', '--fetch-retries=5');

function newProject(name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true }));
  return folder;
}

/** @returns the tarball */
function pack(folder: string): string {
  const lines = npm(folder, 'pack', '--ignore-scripts', '--silent', '--pack-destination', home).trim().split('\n');
  return join(home, lines.at(-1)!);
}

const isOnline = spawnSync('npm', ['ping'], { timeout: 60_000 }).status === 0;
const skip = isOnline ? false : 'NOT RUN: npm has no registry here';
const packed = skip === false ? pack(root) : '';

const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'typescript', 'package.json'), 'utf8'));

/** A folder with this profpipe and what compiles. */
function authorsProject(name: string): string {
  const folder = newProject(name);
  npm(folder, 'install', packed, `typescript@${version}`, '@types/node@20');
  assert.ok(!existsSync(join(folder, 'node_modules', 'profpipe', 'core')), 'sources are not shipped');
  return folder;
}

const examples = readdirSync(join(root, 'examples')).filter((name) => name.startsWith('profpipe-plugin-'));

test('the examples compile, pass their tests, and run where a user installs them', { skip }, async () => {
  const author = authorsProject('author');
  const tarballs = examples.map((name) => {
    const folder = join(author, name);
    const isSource = (path: string) => !['node_modules', 'dist', 'out'].includes(basename(path));
    cpSync(join(root, 'examples', name), folder, { recursive: true, filter: isSource });
    npm(folder, 'test');
    return pack(folder);
  });

  const user = newProject('user');
  npm(user, 'install', packed, ...tarballs);
  for (const name of examples) {
    const files = readdirSync(join(user, 'node_modules', name), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((file) => file.includes('.test.')),
      [],
      `${name} ships its tests`,
    );
    assert.ok(files.includes('README.md'));
  }
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { readonly port: number };
  const pipeline = `plugins: [${examples.join(', ')}]
input: { file: { paths: [node_modules/profpipe/pipelines/samples/cpu.named.pb.gz] } }
stages:
  - cost: { dollars_per_core_hour: 0.036 }
  - peak: {}
output:
  - file: { path: out/peak.pb.gz }
  - upload: { url: "http://127.0.0.1:${port}/" }
`;
  writeFileSync(join(user, 'p.yml'), pipeline);
  // Not spawnSync: the server answers in this thread.
  const child = spawn('npx', ['pipe', 'run', 'p.yml', '--json'], { cwd: user, stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece);
  server.close();
  const summary = JSON.parse(Buffer.concat(pieces).toString());
  assert.equal(summary.exitCode, 0, JSON.stringify(summary));
  assert.deepEqual(got, ['PUT /p.pb.gz']);
  const { rows, total } = JSON.parse(run(user, 'npx', 'pipe', 'profile', 'top', 'out/peak.pb.gz', '--json'));
  assert.ok(rows.length > 0 && Number(total) > 0);
  const stats = run(user, 'npx', 'pipe', 'profile', 'stats', 'out/peak.pb.gz');
  assert.match(stats, /cost/);
  assert.match(
    run(user, 'npx', 'pipe', 'list'),
    /^stage +cost +0\.1\.0 +node_modules\/profpipe-plugin-cost\/dist\/index\.js/m,
  );
  assert.match(run(user, 'npx', 'pipe', 'explain', 'peak'), /the worst moment of each stack/);
});

test('a package that pipe plugin init wrote installs, compiles and passes its tests', { skip }, () => {
  const author = authorsProject('beginner');
  run(author, 'npx', 'pipe', 'plugin', 'init', 'tenants', '--kind', 'stage');
  const own = join(author, 'profpipe-plugin-tenants');
  assert.match(readFileSync(join(own, 'package.json'), 'utf8'), /"profpipe": "file:.*profpipe-[\d.]+\.tgz"/);
  npm(own, 'install');
  assert.ok(existsSync(join(own, 'node_modules', 'profpipe')));
  npm(own, 'test');
});
