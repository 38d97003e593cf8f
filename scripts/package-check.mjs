#!/usr/bin/env node
/**
 * Checks the packages that users install: each contains every entry point, with types
 * that resolve, and no other files than it needs; its documents link to files in it;
 * and the lock file lets a fresh clone install.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { brokenLinks } from './document-links.mjs';

const TESTS = /^(?!examples\/).*[.]test[.]/;
/** The packages, the files that each may have, and its bytes unpacked: a new large file must be noticed. */
const packages = [
  {
    folder: root,
    allowed:
      /^(dist\/(src|handlers|chunks)\/.*[.](js|d[.]ts)|dist\/licences\/(@[^/]+\/)?[^/]+\/[^/]+|dist\/node_modules\/htmx[.]org\/(dist\/htmx[.]min[.]js|LICENSE|package[.]json)|fixtures\/.*[.](json|ndjson|md)|docs\/(internals\/)?[a-zA-Z.-]+[.](md|svg)|docs\/monitoring\/[a-z]+[.](yml|json)|docs\/console\/(overview|event)[.]webp|dist\/src\/pages\/assets\/[a-z]+[.](css|svg)|deploy\/[a-z/.-]+[.](cfg|service|yaml)|examples\/.*[.](md|mjs|ts|py|json)|bench\/(README|HISTORY)[.]md|[A-Z]+([.]pt-BR)?[.]md|LICENSE|package[.]json)$/,
    maxBytes: 6_500_000,
  },
  {
    folder: join(root, 'provider'),
    allowed:
      /^(dist\/(provider|chunks)\/.*[.]js|dist\/licences\/(@[^/]+\/)?[^/]+\/[^/]+|dist\/node_modules\/swagger-ui-dist\/(swagger-ui-bundle[.]js([.]LICENSE[.]txt)?|swagger-ui[.]css|NOTICE|LICENSE|package[.]json)|(README|choices)[.]md|LICENSE|package[.]json)$/,
    maxBytes: 4_000_000,
  },
];

const checked = packages.map(check);
const [receiver, provider] = checked.map(({ manifest }) => manifest);
const versions = [receiver.version, provider.version, receiver.peerDependencies[provider.name]];
const problems = checked.flatMap(({ problems }) => problems);
if (new Set(versions).size > 1)
  problems.push(`the versions of both packages, and of the peer, differ: ${versions.join(', ')}`);
for (const problem of problems) console.error(`package: ${problem}`);
if (problems.length > 0) process.exit(1);
for (const { manifest, packed, bytes } of checked)
  console.log(
    `package: ${manifest.name} has ${packed.length} files, ${(bytes / 1e6).toFixed(1)} MB, with every entry point`,
  );

must(
  'npm',
  ['ci', '--dry-run', '--ignore-scripts', '--loglevel=error'],
  'package-lock.json does not fit package.json',
);
for (const { folder } of packages) {
  const warnings = publishWarnings(folder);
  if (warnings.length > 0) {
    console.error(`package: npm publish would say:\n${warnings.join('\n')}`);
    process.exit(1);
  }
  must(
    join('node_modules', '.bin', 'publint'),
    [folder, '--strict', '--pack', 'npm'],
    'publint reports problems',
  );
}
must(
  join('node_modules', '.bin', 'attw'),
  ['--pack', '.', '--profile', 'esm-only', '--quiet'],
  'types do not resolve',
);
must('node', [join('scripts', 'public-api.mjs'), '--check'], 'the public API differs from what is listed');

/** @param {typeof packages[number]} wanted */
function check({ folder, allowed, maxBytes }) {
  const read = (/** @type {string} */ path) => readFileSync(join(folder, path), 'utf8');
  const manifest = JSON.parse(read('package.json'));
  const { packed, bytes } = packedFiles(folder);
  const promised = [manifest.exports, manifest.bin ?? {}].flatMap(targets).map(String);
  const problems = [
    ...promised
      .filter((path) => !isPacked(path, packed))
      .map((path) => `${path} is an entry point but not in the package`),
    ...packed
      .filter((path) => !allowed.test(path) || TESTS.test(path))
      .map((path) => `${path} does not belong in the package`),
    ...packed
      .filter((path) => path.endsWith('.md'))
      .flatMap((document) => brokenLinks(document, { files: new Set(packed), read })),
    ...(bytes > maxBytes ? [`it has ${bytes} bytes unpacked, more than ${maxBytes}`] : []),
  ].map((problem) => `${manifest.name}: ${problem}`);
  return { manifest, packed, bytes, problems };
}

/**
 * @param {string} folder
 * @returns {{ packed: string[], bytes: number }}
 */
function packedFiles(folder) {
  const args = ['pack', folder, '--dry-run', '--json', '--ignore-scripts'];
  const { stdout, stderr } = npmOrTool('npm', args, 'pipe');
  try {
    const [{ files, unpackedSize }] = JSON.parse(stdout);
    return { packed: files.map((/** @type {{ path: string }} */ { path }) => path), bytes: unpackedSize };
  } catch {
    console.error(stderr);
    process.exit(1);
  }
}

/**
 * What npm corrects or warns of when it publishes. Nothing listens there: a published version would be refused.
 *
 * @param {string} folder
 */
function publishWarnings(folder) {
  const offline = ['--registry=http://127.0.0.1:9', '--fetch-retries=0'];
  const dry = [
    'publish',
    folder,
    '--dry-run',
    '--ignore-scripts',
    '--tag=next',
    '--loglevel=warn',
    ...offline,
  ];
  const { status, stderr } = npmOrTool('npm', dry, 'pipe');
  const said = stderr.split('\n').filter((line) => /^npm (warn publish|error)/.test(line));
  return said.filter((line) => status !== 0 || !line.includes('requires you to be logged in'));
}

/**
 * @param {unknown} entry
 * @returns {unknown[]}
 */
function targets(entry) {
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(targets) : [entry];
}

/**
 * @param {string} promise
 * @param {readonly string[]} packed
 */
function isPacked(promise, packed) {
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
