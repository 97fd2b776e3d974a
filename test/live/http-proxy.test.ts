/** Which proxy the source `http` takes is what Go's net/http takes in the same environment; and https through a real tunnel. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileProxy } from '../../plugins/sources/http/proxy.js';
import { buildGo, hasTool, noGo } from '../helpers/go-toolchain.js';
import { root } from '../helpers/pipe.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const skipGo = noGo('1.27.2');
const skipTls = hasTool('openssl') ? false : 'NOT RUN: no openssl on this machine';

const source = `package main

import ("bufio"; "fmt"; "net/http"; "os")

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		request, err := http.NewRequest("GET", lines.Text(), nil)
		if err != nil { panic(err) }
		proxy, err := http.ProxyFromEnvironment(request)
		if err != nil { panic(err) }
		fmt.Println(proxy)
	}
}
`;

const hosts = [
  'a.example',
  'b.a.example',
  'aa.example',
  'x.test',
  'localhost',
  'sub.localhost',
  '127.0.0.1',
  '127.9.9.9',
];
const addresses = [
  '10.1.2.3',
  '10.2.0.1',
  '192.168.0.7',
  '[::1]',
  '[2001:db8::1]',
  '[2001:db9::1]',
  '[::ffff:10.1.2.3]',
];
const urls = ['http', 'https'].flatMap((scheme) =>
  [...hosts, ...addresses].flatMap((host) =>
    ['', ':80', ':443', ':6060'].map((port) => `${scheme}://${host}${port}/x`),
  ),
);
const entries = [
  [
    'a.example',
    '.a.example',
    '*.a.example',
    'A.EXAMPLE',
    'example',
    'a.example:6060',
    'a.example:80',
    'test.',
    'ample',
  ],
  ['10.1.2.3', '10.1.2.3:443', '10.0.0.0/8', '10.1.0.0/16', '10.0.0.0/33', '2.3', '0.0.0.0/0', '192.168.0.7/32'],
  ['::1', '[2001:db8::1]:6060', '2001:db8::1', '2001:db8::/32', '[2001:db8::1]', '::/0', ':80', ' x.test ', '*'],
].flat();
const lists = ['', ...entries, ...entries.map((entry, at) => `${entry}, ${entries[(at * 7 + 3) % entries.length]}`)];

test(`${lists.length * urls.length} questions`, { skip: skipGo }, (t) => {
  const program = { 'go.mod': 'module proxies\n\ngo 1.17\n', 'main.go': source };
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const { path } = buildGo({ version: '1.27.2', architecture, program });
  for (const NO_PROXY of lists) {
    const environment = { HTTP_PROXY: 'http://one:3128', https_proxy: 'two:3129', NO_PROXY };
    const theirs = execFileSync(path, { env: environment, input: urls.join('\n'), encoding: 'utf8' })
      .trim()
      .split('\n');
    const proxyOf = compileProxy('environment', environment);
    const ours = urls.map((url) => proxyOf(new URL(url))?.href.slice(0, -1) ?? '<nil>');
    for (const [at, url] of urls.entries()) assert.equal(ours[at], theirs[at], `${url} with NO_PROXY=${NO_PROXY}`);
  }
  t.diagnostic(`${lists.length} lists`);
});

test('https goes through a tunnel, and the certificate is the target\u2019s', { skip: skipTls }, async (t) => {
  const folder = temporaryFolder(t);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=target.test', '-addext', 'subjectAltName=DNS:target.test'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
    stdio: 'ignore',
  });
  const profile = readFileSync(join(root, 'pipelines', 'samples', 'goroutine.pb.gz'));
  const target = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) =>
    response.end(profile),
  ).listen(0, '127.0.0.1');
  // Not ended between two profiles, however long that takes.
  target.keepAliveTimeout = 0;
  const asked: string[] = [];
  const proxy = createProxy().on('connect', (request, client, head) => {
    asked.push(`${request.url}`);
    const to = connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      to.write(head);
      to.pipe(client).pipe(to);
    });
    for (const socket of [to, client]) socket.on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await Promise.all([once(target, 'listening'), once(proxy, 'listening')]);
  t.after(() => {
    target.close().closeAllConnections();
    proxy.close().closeAllConnections();
  });
  const run = async (host: string) => {
    const pipeline = writeInto(
      folder,
      'tunnel.yml',
      `input: { http: { targets: ["https://${host}:6060/heap"], every: 50ms, count: 3, tls: { ca: ${cert} } } }
output: [{ file: { path: "${folder}/{name}.pb.gz" } }]
dead_letter: ${folder}/dead
`,
    );
    const child = spawn(process.execPath, [join(root, 'dist', 'core', 'cli', 'bin.js'), 'run', pipeline], {
      env: { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NO_PROXY: '' },
    });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    return { code, said };
  };
  const { code, said } = await run('target.test');
  assert.equal(code, 0, said);
  // One connection, kept.
  assert.deepEqual(asked, ['target.test:6060']);
  const strange = await run('other.test');
  assert.equal(strange.code, 20);
  assert.match(strange.said, /E_SCRAPE.*other\.test.*altnames/i);
});
