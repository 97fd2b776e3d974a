/** Go programs for live tests, built by the Go versions that the project reads. Kept in .cache/live between runs. */
import { execFileSync, type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The last of each minor version whose tables are read. */
export const allGoVersions = [
  '1.17.13',
  '1.18.10',
  '1.19.13',
  '1.20.14',
  '1.21.13',
  '1.22.12',
  '1.23.12',
  '1.24.13',
  '1.25.9',
  '1.26.8',
  '1.27.2',
] as const;

/** Versions of this run: PROFPIPE_GO_VERSIONS ("all", or a list with commas), else the given few. */
export function goVersions(few: readonly string[]): readonly string[] {
  const wanted = process.env.PROFPIPE_GO_VERSIONS;
  if (wanted === undefined || wanted === '') return few;
  return wanted === 'all' ? allGoVersions : wanted.split(',');
}

export const hasTool = (name: string): boolean => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
};

/** What `go` says when the module proxy did not answer, or broke off. */
const BROKEN_OFF =
  /dial tcp|TLS handshake|connection re(?:set|fused)|timeout|unexpected EOF|: EOF$|stream error|: (?:429|50[0-9]) /m;
const MOST_TRIES = 4;
/** It stayed away as long as one waits for it. */
let isProxyAway = false;

/** The command `go`; a download that breaks off is begun again, after 2, 4 and 8 seconds. */
export function go(args: readonly string[], options: Omit<SpawnSyncOptions, 'encoding'>): SpawnSyncReturns<string> {
  for (let tries = 1; ; tries++) {
    const done = spawnSync('go', args, { maxBuffer: 2 ** 28, ...options, encoding: 'utf8' });
    if (done.status === 0 || isProxyAway || !BROKEN_OFF.test(done.stderr ?? '')) return done;
    if (tries === MOST_TRIES) {
      isProxyAway = true;
      return done;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000 * 2 ** tries);
  }
}

const whyNot = new Map<string, string | false>();

/** Whether these versions of Go are here, or can be fetched through the module proxy; with none, any Go. @returns else why a test is not run */
export function noGo(...versions: readonly string[]): string | false {
  if (!hasTool('go')) return 'NOT RUN: no go on this machine';
  for (const version of versions) {
    let why = whyNot.get(version);
    if (why === undefined) {
      const { status, stdout, stderr } = go(['version'], { env: toolchainEnvironment(version) });
      const isHere = status === 0 && stdout.includes(` go${version} `);
      why = !isHere && `NOT RUN: no go${version}: ${lastLine(status === 0 ? stdout : stderr)}`;
      whyNot.set(version, why);
    }
    if (why !== false) return why;
  }
  return false;
}

/** As `noGo`, of the modules that the `go.mod` in a folder asks for. */
export function noModules(folder: string): string | false {
  const missing = noGo();
  if (missing !== false) return missing;
  const { status, stderr } = go(['mod', 'download'], { cwd: folder, env: { ...process.env, GOWORK: 'off' } });
  return status !== 0 && `NOT RUN: no modules for ${folder}: ${lastLine(stderr)}`;
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

export interface GoBuild {
  readonly version: string;
  readonly architecture: 'amd64' | 'arm64' | '386' | 'arm';
  /** GOOS; linux where it is not said. */
  readonly system?: 'linux' | 'darwin' | 'windows';
  /** Import path of a package of the standard distribution ("cmd/gofmt"), or files of a main package by name. */
  readonly program: string | { readonly [file: string]: string };
  /** Further flags of `go build`. */
  readonly flags?: readonly string[];
  readonly cgo?: boolean;
}

export interface Built {
  readonly path: string;
  /** What the compiler said besides: the answers of its debug flags. */
  readonly messages: string;
}

const cacheFolder = resolve('.cache/live');

/** Fetches the toolchain through the module proxy where it is missing. @throws Error with the compiler's output */
export function buildGo(build: GoBuild): Built {
  const key = createHash('sha256').update(JSON.stringify(build)).digest('hex').slice(0, 16);
  const path = join(cacheFolder, `go${build.version}-${build.architecture}-${key}`);
  const messages = `${path}.txt`;
  if (!existsSync(path)) {
    mkdirSync(cacheFolder, { recursive: true });
    // Another test file may be at the same program.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(`${temporary}.txt`, compile(build, `${temporary}.src`, temporary));
    renameSync(`${temporary}.txt`, messages);
    renameSync(temporary, path);
  }
  return { path, messages: readFileSync(messages, 'utf8') };
}

/** A file beside the programs, kept between runs: flags of a build can name it. */
export function keptFile(name: string, make: () => Uint8Array): string {
  const path = join(cacheFolder, name);
  if (!existsSync(path)) {
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, make());
    renameSync(`${path}.${process.pid}`, path);
  }
  return path;
}

/** Answers of a tool that comes with a version of Go: addr2line, nm. @throws Error with what it says */
export function goTool(version: string, args: readonly string[], input = ''): string {
  const done = go(['tool', ...args], { env: toolchainEnvironment(version), input });
  if (done.status !== 0) throw new Error(`go${version} tool ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}

function toolchainEnvironment(version: string) {
  return {
    ...process.env,
    GOTOOLCHAIN: `go${version}`,
    // Not empty, or the flags of `go env -w` would hold, which old versions may not know.
    GOFLAGS: '-trimpath',
    GOWORK: 'off',
    // Go 1.19 does not find its own packages by its index when they lie in the module cache.
    ...(version.startsWith('1.19.') ? { GODEBUG: 'goindex=0' } : {}),
  };
}

function compile(build: GoBuild, folder: string, output: string) {
  const { version, architecture, system = 'linux', program, flags = [], cgo = false } = build;
  mkdirSync(folder, { recursive: true });
  const files: { readonly [file: string]: string } =
    typeof program === 'string' ? {} : { 'go.mod': 'module shapes\n\ngo 1.17\n', ...program };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const what = typeof program === 'string' ? program : '.';
  const done = go(['build', '-o', output, ...flags, what], {
    cwd: folder,
    env: {
      ...toolchainEnvironment(version),
      GOOS: system,
      GOARCH: architecture,
      CGO_ENABLED: cgo ? '1' : '0',
    },
  });
  rmSync(folder, { recursive: true, force: true });
  if (done.status !== 0) throw new Error(`go${version} build ${what}: ${done.error?.message ?? done.stderr}`);
  return done.stderr;
}
