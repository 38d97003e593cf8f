#!/usr/bin/env node
/**
 * Runs the tests of `npm test` on each pinned version of Node.js, which include the
 * oldest supported one. npm packages provide the binaries.
 *
 *   --only oldest       run on this version only: `oldest` or `newest`
 *   --platform          run only what may differ between versions of Node.js
 *   --results <folder>  write Vitest's results there, `node-<which>.json` for each version
 *   <path>…             run the tests of these paths, too
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchNode, nodeBinary, nodePackages } from './bootstrap/own-node.mjs';
import { root } from './bootstrap/paths.mjs';

/**
 * Tests of the built program, of HTTP and threads, and of the binding of SQLite. The others compute in JavaScript or SQL
 * alone, or call the same functions again through commands, pages and the stand-in of the provider.
 */
const PLATFORM = [
  ...['test/end-to-end/', 'test/receive/', 'test/client/', 'src/kernel/', 'src/store/'],
  ...['test/conformance/threads', 'test/conformance/sqlite-kill'],
];

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    platform: { type: 'boolean', default: false },
    results: { type: 'string' },
  },
});
const versions = nodePackages().toSorted(
  (one, other) => Number.parseInt(one.version) - Number.parseInt(other.version),
);
const { only = 'all' } = options;
const chosen = { all: versions, oldest: versions.slice(0, 1), newest: versions.slice(-1) }[only] ?? [];
if (chosen.length === 0) fail(`no Node.js ${only} is pinned for this machine: --only takes oldest or newest`);

const failed = [];
for (const wanted of chosen) {
  await fetchNode(wanted, 'its tests');
  const binary = nodeBinary(wanted);
  console.log(`\n== Node.js ${wanted.version}`);
  const { status } = spawnSync(
    binary,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...(options.platform ? PLATFORM : []),
      ...paths,
      ...['faults', 'measured'].flatMap((name) => ['--project', `!${name}`]),
      '--project',
      '!browser',
      ...reporters(options.only ?? wanted.version),
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // Programs that the tests start by name run on the same Node.js.
      env: { ...process.env, PATH: [dirname(binary), process.env['PATH']].join(delimiter) },
    },
  );
  console.log(`== Node.js ${wanted.version}: ${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) failed.push(wanted.version);
}
if (failed.length > 0) fail(`the tests fail on Node.js ${failed.join(' and ')}`);

/** @param {string} name */
function reporters(name) {
  if (options.results === undefined) return [];
  const file = join(options.results, `node-${name}.json`);
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
}

/** @param {string} message */
function fail(message) {
  console.error(`test:nodes: ${message}`);
  process.exit(1);
}
