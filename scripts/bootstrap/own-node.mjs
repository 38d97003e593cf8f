/** Fetches and links the project's own Node.js. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fetchNode, nodeBinary, nodePackages, placesOf } from './fetch-node.mjs';
import { isTooOld, oldestNode } from './node-version.mjs';
import { nextNode, nodeModules, root } from './paths.mjs';
import { BootstrapFailure, say } from './report.mjs';

const isWindows = process.platform === 'win32';
const folder = join(nodeModules, '.portaria-node');
/** npm scripts and npx search this folder before the system's PATH. */
const bin = join(nodeModules, '.bin');
const link = join(bin, isWindows ? 'node.exe' : 'node');

/** Release lines to fetch, in order of preference. npm has no Node 24 package for some platforms. */
const PREFERRED_LINES = ['24.', '26.', '22.'];

const tooOld = () => `Node.js ${process.versions.node} (${process.execPath}) is older than ${oldestNode()}`;
const INSTALL_ONE = 'Install a current one from https://nodejs.org, or with `nvm install 24`.';

/** The binary of the project's own Node.js. Null if it is missing or older than package.json requires. */
export function ownNode() {
  if (!existsSync(link)) return null;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isTooOld(version) ? null : link;
}

/**
 * Fetches the project's own Node.js next to `node_modules`, because `npm ci` may empty that folder meanwhile.
 *
 * @returns {Promise<() => void>} moves it into place
 * @throws {BootstrapFailure} if the environment forbids it, or npm has no package for this machine
 */
export async function fetchOwnNode() {
  rejectIfForbidden();
  const packages = [...nodePackages().values()];
  const wanted = PREFERRED_LINES.map((line) => packages.find(({ version }) => version.startsWith(line))).find(
    (found) => found !== undefined,
  );
  if (wanted === undefined) {
    throw new BootstrapFailure(
      `${tooOld()}, and npm has no package of Node.js for this machine. ${INSTALL_ONE}`,
    );
  }
  say(`${tooOld()}: fetching ${wanted.version} from npm into node_modules`);
  removeLeftovers();
  await fetchNode(wanted, nextNode);
  return () => {
    putInPlace(placesOf(nextNode, wanted).folder);
    removeLeftovers();
  };
}

/**
 * Runs `work`, which empties `node_modules`, and preserves the project's own Node.js if there is one.
 *
 * @param {(node: string) => Promise<void>} work receives the binary to run npm with
 */
export async function keepingOwnNode(work) {
  if (ownNode() === null) return work(process.execPath);
  const onOwn = runsOnOwnNode();
  renameSync(folder, nextNode);
  try {
    await work(onOwn ? nodeBinary(nextNode) : process.execPath);
  } finally {
    putInPlace(nextNode);
  }
}

/** @param {string} from the unpacked package of Node.js */
function putInPlace(from) {
  removeOwnNode();
  mkdirSync(bin, { recursive: true });
  renameSync(from, folder);
  // On Windows, symbolic links need administrator rights.
  if (isWindows) linkSync(nodeBinary(folder), link);
  else symlinkSync(relative(bin, nodeBinary(folder)), link);
}

/** @throws {BootstrapFailure} */
export function rejectIfForbidden() {
  if (process.env['PORTARIA_NODE'] !== 'system') return;
  throw new BootstrapFailure(
    `${tooOld()}, and PORTARIA_NODE=system forbids fetching another one. ${INSTALL_ONE}`,
  );
}

/** Whether this process runs on the project's own Node.js. */
export function runsOnOwnNode() {
  return process.execPath.startsWith(nodeModules);
}

export function removeOwnNode() {
  rmSync(link, { force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Removes downloads of this process and of killed ones. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.node-next-')) rmSync(join(root, name), { recursive: true, force: true });
  }
}
