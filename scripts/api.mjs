/**
 * `npm run api`: writes api/*.api.md, what plugins may import, from the compiled declarations: a change of the public surface shows in a
 * diff. `npm run api:check` writes nothing and exits 1 when a report is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSurface } from './api/surface.mjs';

const root = join(import.meta.dirname, '..');
const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const doors = Object.entries(exports).filter(([, { types }]) => types !== undefined);

function report(door, { exported, hidden }) {
  const lines = [
    `# What \`${door}\` exports`,
    '',
    'Written by `npm run api`; CI fails when it is stale. Comments are left out: they are in the declarations.',
    '',
    '```ts',
    exported.map(({ text }) => text).join('\n\n'),
    '```',
  ];
  if (hidden.length > 0) {
    lines.push('', '## Mentioned, and exported nowhere', '');
    for (const { name, users } of hidden)
      lines.push(`- \`${name}\` by ${users.map((user) => `\`${user}\``).join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}

const surfaces = readSurface(
  root,
  doors.map(([, { types }]) => join(root, types)),
);
const isCheck = process.argv.includes('--check');
mkdirSync(join(root, 'api'), { recursive: true });
for (const [index, [door]] of doors.entries()) {
  const module = join(name, door);
  const path = join('api', `${module.replaceAll('/', '-')}.api.md`);
  const text = report(module, surfaces[index]);
  if (existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${path}: stale; run \`npm run api\` and read the difference`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, path), text);
    console.log(`${path}: written`);
  }
}
