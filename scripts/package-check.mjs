#!/usr/bin/env node
/**
 * Checks the package that users install: it contains every entry point, with types
 * that resolve, and no other files than it needs; its documents link to files in it;
 * and the lock file lets a fresh clone install.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageJson, root } from './bootstrap/paths.mjs';
import { brokenLinks } from './document-links.mjs';

const PACKED =
  /^(dist\/(src|handlers|provider|chunks)\/.*[.](js|d[.]ts)|dist\/licences\/(@[^/]+\/)?[^/]+\/[^/]+|dist\/node_modules\/swagger-ui-dist\/(swagger-ui-bundle[.]js([.]LICENSE[.]txt)?|swagger-ui[.]css|NOTICE|LICENSE|package[.]json)|dist\/node_modules\/htmx[.]org\/(dist\/htmx[.]min[.]js|LICENSE|package[.]json)|fixtures\/.*[.](json|ndjson|md)|docs\/(internals\/)?[a-zA-Z.-]+[.](md|svg)|docs\/monitoring\/[a-z]+[.](yml|json)|docs\/console\/(overview|event)[.]webp|dist\/src\/pages\/assets\/[a-z]+[.](css|svg)|deploy\/[a-z/.-]+[.](cfg|service|yaml)|examples\/.*[.](md|mjs|ts|py|json)|bench\/(README|HISTORY)[.]md|provider\/(README|choices)[.]md|[A-Z]+([.]pt-BR)?[.]md|LICENSE|package[.]json)$/;
/** Unpacked, in bytes: a new large file must be noticed. */
const MAX_BYTES = 8_000_000;
const TESTS = /^(?!examples\/).*[.]test[.]/;

const { exports: entries, bin } = JSON.parse(readFileSync(packageJson, 'utf8'));
const { files: packed, bytes } = packedFiles();
const promised = [...Object.values(entries).flatMap(targets), ...Object.values(bin)].map(String);
const problems = [
  ...promised
    .filter((path) => !isPacked(path))
    .map((path) => `${path} is an entry point but not in the package`),
  ...packed
    .filter((path) => !PACKED.test(path) || TESTS.test(path))
    .map((path) => `${path} does not belong in the package`),
  ...packed
    .filter((path) => path.endsWith('.md'))
    .flatMap((document) => brokenLinks(document, { files: new Set(packed), read })),
  ...(bytes > MAX_BYTES ? [`it has ${bytes} bytes unpacked, more than ${MAX_BYTES}`] : []),
];
for (const problem of problems) console.error(`package: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`package: ${packed.length} files, ${(bytes / 1e6).toFixed(1)} MB, with every entry point`);

must(
  'npm',
  ['ci', '--dry-run', '--ignore-scripts', '--loglevel=error'],
  'package-lock.json does not fit package.json',
);
must(join('node_modules', '.bin', 'publint'), ['--strict', '--pack', 'npm'], 'publint reports problems');
must(
  join('node_modules', '.bin', 'attw'),
  ['--pack', '.', '--profile', 'esm-only', '--quiet'],
  'types do not resolve',
);
must('node', [join('scripts', 'public-api.mjs'), '--check'], 'the public API differs from what is listed');

/** @param {string} path */
function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** @returns {{ files: string[], bytes: number }} */
function packedFiles() {
  const { stdout, stderr } = npmOrTool('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], 'pipe');
  try {
    const [{ files, unpackedSize }] = JSON.parse(stdout);
    return { files: files.map((/** @type {{ path: string }} */ { path }) => path), bytes: unpackedSize };
  } catch {
    console.error(stderr);
    process.exit(1);
  }
}

/**
 * @param {unknown} entry
 * @returns {unknown[]}
 */
function targets(entry) {
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(targets) : [entry];
}

/** @param {string} promise */
function isPacked(promise) {
  const [before = '', after] = promise.replace(/^[.]\//, '').split('*');
  return packed.some((path) =>
    after === undefined ? path === before : path.startsWith(before) && path.endsWith(after),
  );
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} otherwise
 */
function must(command, args, otherwise) {
  if (npmOrTool(command, args, 'inherit').status === 0) return;
  console.error(`package: ${otherwise}`);
  process.exit(1);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {'pipe' | 'inherit'} output
 */
function npmOrTool(command, args, output) {
  const stdio = /** @type {const} */ (['ignore', output, output]);
  return spawnSync(command, args, {
    cwd: root,
    stdio: [...stdio],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}
