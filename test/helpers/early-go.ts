/**
 * Go 1.2 … 1.15 for live tests: toolchains that are in the module cache. They are not fetched here, for most machines have none:
 *
 *     go mod download golang.org/toolchain@v0.0.1-go1.11.13.linux-amd64
 *     chmod -R u+x $(go env GOMODCACHE)/golang.org/toolchain@v0.0.1-go1.11.13.linux-amd64/{bin,pkg/tool}
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The last of each minor version. */
export const earlyGoVersions = [
  '1.2.2',
  '1.3.3',
  '1.4.3',
  '1.5.4',
  '1.6.4',
  '1.7.6',
  '1.8.7',
  '1.9.7',
  '1.10.8',
  '1.11.13',
  '1.12.17',
  '1.13.15',
  '1.14.15',
  '1.15.15',
] as const;

export interface EarlyBuild {
  readonly version: string;
  readonly system: 'linux' | 'darwin' | 'windows';
  readonly architecture: 'amd64' | 'arm64' | '386' | 'arm';
  readonly flags?: readonly string[];
}

/** Of one version, where its toolchain can be run. */
export function earlyGoRoot(version: string): string | undefined {
  const root = join(moduleCache(), `golang.org/toolchain@v0.0.1-go${version}.linux-amd64`);
  try {
    accessSync(join(root, 'bin/go'), constants.X_OK);
    return root;
  } catch {
    return undefined;
  }
}

let knownCache: string | undefined;

function moduleCache(): string {
  knownCache ??= spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  return knownCache;
}

/** @param source of the main package @returns path; kept in .cache/live between runs @throws Error with the compiler's output */
export function buildEarlyGo({ version, system, architecture, flags = [] }: EarlyBuild, source: string): string {
  const folder = resolve('.cache/live/early');
  const path = join(folder, [`go${version}`, system, architecture, ...flags].join('-'));
  if (existsSync(path)) return path;
  // One for all: paths of sources are in the binaries.
  const sources = join(folder, 'sources');
  mkdirSync(sources, { recursive: true });
  writeFileSync(join(sources, 'main.go'), source);
  execFileSync(join(earlyGoRoot(version)!, 'bin/go'), ['build', '-o', `${path}.${process.pid}`, ...flags, 'main.go'], {
    cwd: sources,
    env: { ...environment(version), GOOS: system, GOARCH: architecture, CGO_ENABLED: '0' },
    stdio: 'pipe',
  });
  renameSync(`${path}.${process.pid}`, path);
  return path;
}

/** What `addr2line` of that version says: two lines an address. */
export function askEarlyGo(version: string, path: string, addresses: readonly bigint[]): string[] {
  const output = execFileSync(join(earlyGoRoot(version)!, 'pkg/tool/linux_amd64/addr2line'), [path], {
    input: addresses.map((address) => `0x${address.toString(16)}\n`).join(''),
    env: environment(version),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const lines = output.trimEnd().split('\n');
  return addresses.map((_, row) => `${lines[2 * row]}\n${lines[2 * row + 1]}`);
}

function environment(version: string) {
  return {
    ...process.env,
    GOROOT: earlyGoRoot(version)!,
    GOPATH: resolve('.cache/live/early/gopath'),
    GO111MODULE: 'off',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '',
    GOENV: 'off',
  };
}
