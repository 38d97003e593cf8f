import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from './licences.mjs';

/**
 * @typedef {{ version?: string, resolved?: string, integrity?: string, license?: string, dev?: boolean,
 *   link?: boolean, inBundle?: boolean, hasInstallScript?: boolean }} LockedPackage
 * @typedef {Record<string, string>} Wanted
 * @typedef {{ rule: string, where: string, message: string }} Violation
 */

/** Where packages come from. The lock file leaves the address out where it is this one (`.npmrc`). */
const REGISTRY = 'https://registry.npmjs.org/';

const DEPENDENCIES = /** @type {const} */ ([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
]);

/** A version or a range of it, or another package's by its name; no path, no address, no repository. */
const FROM_REGISTRY = /^(npm:(@[^/@]+\/)?[^/@]+@)?[^/:]+$/;

/**
 * Looks for all that should not be in a project's lock file.
 *
 * @param {string} folder of the project
 * @returns {{ violations: Violation[], packages: number }}
 */
export function inspectLock(folder) {
  const manifest = read(join(folder, 'package.json'));
  const { packages = {} } = read(join(folder, 'package-lock.json')) ?? {};
  const { '': own, ...others } = /** @type {Record<string, LockedPackage & Record<string, unknown>>} */ (
    packages
  );
  const locked = Object.entries(others);
  return {
    violations: [
      ...wantedFromElsewhere('package.json', manifest),
      ...wantedFromElsewhere('package-lock.json', own ?? {}),
      ...locked.flatMap(([path, entry]) => [
        ...sourceOf(path, entry),
        ...installScriptOf(path, entry, manifest?.allowScripts ?? {}),
        ...licenceOf(path, entry, folder),
      ]),
    ],
    packages: locked.length,
  };
}

/**
 * @param {string} file
 * @param {any} manifest
 * @returns {Violation[]}
 */
function wantedFromElsewhere(file, manifest) {
  return DEPENDENCIES.flatMap((kind) =>
    rangesIn(manifest?.[kind] ?? {})
      .filter(([, range]) => !FROM_REGISTRY.test(range))
      .map(([name, range]) => ({
        rule: 'wanted',
        where: `${file} ${name}`,
        message: `is wanted as ${range}: name a version that the registry has`,
      })),
  );
}

/**
 * Overrides may be nested.
 *
 * @param {Record<string, unknown>} wanted
 * @returns {[string, string][]}
 */
function rangesIn(wanted) {
  return Object.entries(wanted).flatMap(([name, range]) =>
    typeof range === 'string'
      ? [/** @type {[string, string]} */ ([name, range])]
      : rangesIn(/** @type {Record<string, unknown>} */ (range)),
  );
}

/**
 * @param {string} path
 * @param {LockedPackage} entry
 * @returns {Violation[]}
 */
function sourceOf(path, { resolved, integrity, link, inBundle, version }) {
  if (link)
    return [{ rule: 'source', where: path, message: 'is a link to a folder: install it from the registry' }];
  /** @type {Violation[]} */
  const violations = [];
  if (resolved !== undefined && !resolved.startsWith(REGISTRY))
    violations.push({
      rule: 'source',
      where: path,
      message: `comes from ${resolved}: install it from the registry`,
    });
  if (version === undefined)
    violations.push({ rule: 'version', where: path, message: 'has no version: run npm install again' });
  // What lies in another package is covered by the checksum of that.
  if (!inBundle && !integrity?.startsWith('sha512-'))
    violations.push({
      rule: 'integrity',
      where: path,
      message: 'has no SHA-512 checksum: run npm install again',
    });
  return violations;
}

/**
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {Record<string, boolean>} allowScripts of package.json: those named there as false never run
 * @returns {Violation[]}
 */
function installScriptOf(path, { hasInstallScript }, allowScripts) {
  if (!hasInstallScript || allowScripts[nameOf(path)] === false) return [];
  const message =
    'runs a script when it is installed: do without it, or name it as false in allowScripts of package.json';
  return [{ rule: 'install script', where: path, message }];
}

/**
 * What the lock file says was so in the registry; what is installed may say otherwise.
 *
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {string} folder
 * @returns {Violation[]}
 */
function licenceOf(path, { license, dev, link }, folder) {
  if (link) return [];
  const installed = read(join(folder, path, 'package.json'));
  const licences = [...new Set([license, installed === null ? undefined : licenceIn(installed)])].filter(
    (text) => text !== undefined,
  );
  if (licences.length === 0)
    return [
      { rule: 'licence', where: path, message: 'names no licence: ask for one, or do without the package' },
    ];
  return licences
    .filter((text) => !isAllowed(text, { isDevelopment: dev === true }))
    .map((text) => ({
      rule: 'licence',
      where: path,
      message: `is under ${text}, which is not allowed ${dev ? 'even in development' : 'in what ships'}`,
    }));
}

/**
 * Older packages have an object, or a list of them, any of which may be chosen.
 *
 * @param {any} manifest
 * @returns {string | undefined}
 */
function licenceIn({ license, licenses }) {
  const given = [license ?? licenses ?? []].flat().map((each) => each?.type ?? each);
  return given.length === 0 ? undefined : given.join(' OR ');
}

/** @param {string} path */
function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * @param {string} file
 * @returns {any} null where there is none
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}
