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
/** npm's scripts and npx search this folder before the system's PATH. */
const bin = join(nodeModules, '.bin');
const link = join(bin, isWindows ? 'node.exe' : 'node');

/** Which release line replaces an older Node.js. npm lacks packages of the first for some machines. */
const PREFERRED_LINES = ['24.', '26.', '22.'];

/** Says that this Node.js is too old, and by how much. */
const tooOld = () => `Node.js ${process.versions.node} (${process.execPath}) is older than ${oldestNode()}`;
const INSTALL_ONE = 'Install a current one from https://nodejs.org, or with `nvm install 24`.';

/** The binary of the project's own Node.js; null when it is not there, or package.json has outgrown it. */
export function ownNode() {
  if (!existsSync(link)) return null;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isTooOld(version) ? null : link;
}

/**
 * Fetches the project's own Node.js. The caller puts it in place by calling the result: `npm ci` empties
 * `node_modules`, and the download need not wait for that.
 *
 * @returns {Promise<() => void>}
 * @throws {BootstrapFailure} when the environment forbids it, or npm has no package for this machine
 */
export async function fetchOwnNode() {
  refuseIfForbidden();
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
 * Does work that empties `node_modules`. The project's own Node.js is set aside meanwhile, if it is there.
 *
 * @param {(node: string) => Promise<void>} work is given the binary to run npm with
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
  // Windows lets only administrators make symbolic links.
  if (isWindows) linkSync(nodeBinary(folder), link);
  else symlinkSync(relative(bin, nodeBinary(folder)), link);
}

/** @throws {BootstrapFailure} */
export function refuseIfForbidden() {
  if (process.env['PORTARIA_NODE'] !== 'system') return;
  throw new BootstrapFailure(
    `${tooOld()}, and PORTARIA_NODE=system forbids to fetch another. ${INSTALL_ONE}`,
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

/** Of this process, and of any that was killed. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.node-next-')) rmSync(join(root, name), { recursive: true, force: true });
  }
}
