/** Checks package.json and lock file against the rules of the supply chain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from './licences.mjs';

/**
 * @typedef {{ name?: string, version?: string, resolved?: string, integrity?: string, license?: string,
 *   dev?: boolean, link?: boolean, inBundle?: boolean, bundleDependencies?: string[] | boolean,
 *   hasInstallScript?: boolean }} LockedPackage
 * @typedef {Record<string, LockedPackage & Record<string, unknown>>} LockedPackages
 * @typedef {{ rule: string, where: string, message: string }} Violation
 */

/** Packages that are installed under another name: that name to the package's own. */
const ALIASES = new Map([
  ['typescript', '@typescript/typescript6'],
  ['@typescript/native', 'typescript'],
  ['@typescript/old', 'typescript'],
]);

const DEPENDENCIES = /** @type {const} */ ([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
]);

const EXTRAS = String.raw`(-[\dA-Za-z.-]+)?(\+[\dA-Za-z.-]+)?`;
const VERSION = new RegExp(String.raw`^\d+\.\d+\.\d+${EXTRAS}$`);
const PART = String.raw`(\d+|[xX*])`;
const COMPARATOR = String.raw`([~^]|[<>]?=?)${PART}(\.${PART}){0,2}${EXTRAS}`;
/** Ranges of version numbers only. A tag can move, and npm reads `..` as a folder and `x.tgz` as a file. */
const RANGE = new RegExp(String.raw`^${COMPARATOR}(( - | \|\| | )${COMPARATOR})*$`);
const TARBALL = /\.(tgz|tar|tar\.gz)$/i;
const ALIAS = /^npm:(?<name>(@[^/@]+\/)?[^/@]+)@(?<range>.*)$/;
/** In overrides: a reference to the project's own range of a package. */
const REFERENCE = /^\$(@[\w.-]+\/)?[\w.-]+$/;
const SHA_512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/**
 * Reports every violation in a project's package.json and lock file.
 *
 * @param {string} folder of the project
 * @returns {{ violations: Violation[], packages: number }}
 */
export function inspectLock(folder) {
  const manifest = read(join(folder, 'package.json'));
  const { packages = {} } = read(join(folder, 'package-lock.json')) ?? {};
  const { '': own, ...others } = /** @type {LockedPackages} */ (packages);
  /** @type {string[]} */
  const workspaces = manifest?.workspaces ?? [];
  const locked = Object.entries(others).filter(
    ([path, { link, resolved = '' }]) => !workspaces.includes(link ? resolved : path),
  );
  return {
    violations: [
      ...rangesOutsideRegistry('package.json', manifest),
      ...rangesOutsideRegistry('package-lock.json', own ?? {}),
      ...workspaces.flatMap((path) => [
        ...rangesOutsideRegistry(`${path}/package.json`, read(join(folder, path, 'package.json'))),
        ...rangesOutsideRegistry(`package-lock.json ${path}`, others[path]),
      ]),
      ...locked.flatMap(([path, entry]) => [
        ...sourceOf(path, entry),
        ...checksumOf(path, entry, others),
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
function rangesOutsideRegistry(file, manifest) {
  return DEPENDENCIES.flatMap((kind) =>
    rangesIn(manifest?.[kind] ?? {})
      .filter(([name, range]) => !isFromRegistry(name, range))
      .map(([name, range]) => ({
        rule: 'range',
        where: `${file} ${name}`,
        message: `has the range ${range}: use a version range from the registry`,
      })),
  );
}

/**
 * @param {string} name
 * @param {string} range
 */
function isFromRegistry(name, range) {
  const alias = ALIAS.exec(range)?.groups;
  if (alias !== undefined) return isNamed(name, alias['name']) && isRange(alias['range'] ?? '');
  return isRange(range) || REFERENCE.test(range);
}

/** @param {string} text */
function isRange(text) {
  return RANGE.test(text) && !TARBALL.test(text);
}

/**
 * Whether a package may be installed under this name.
 *
 * @param {string} installedAs
 * @param {string | undefined} name
 */
function isNamed(installedAs, name) {
  return name === installedAs || (name !== undefined && name === ALIASES.get(installedAs));
}

/**
 * All ranges, those of nested overrides included.
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
 * Checks that a package comes from the registry, by its name and version, without an address.
 *
 * @param {string} path
 * @param {LockedPackage} entry
 * @returns {Violation[]}
 */
function sourceOf(path, { name, resolved, link, version }) {
  if (link)
    return [{ rule: 'source', where: path, message: 'is a link to a folder: install it from the registry' }];
  /** @type {Violation[]} */
  const violations = [];
  // An address could belong to another package or version. `.npmrc` keeps npm from writing addresses.
  if (resolved !== undefined)
    violations.push({
      rule: 'source',
      where: path,
      message: `has the address ${resolved}: install it from the registry, without an address`,
    });
  if (name !== undefined && !isNamed(nameOf(path), name))
    violations.push({
      rule: 'name',
      where: path,
      message: `is the package ${name} under another name: add it to ALIASES in inspect-lock.mjs if that is intended`,
    });
  // npm would resolve an address or another package's name here.
  if (version === undefined || !VERSION.test(version))
    violations.push({
      rule: 'version',
      where: path,
      message: `has the invalid version ${version ?? '(none)'}: run npm install again`,
    });
  return violations;
}

/**
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {LockedPackages} all
 * @returns {Violation[]}
 */
function checksumOf(path, { integrity, link, inBundle }, all) {
  if (link) return [];
  const isCovered = integrity === undefined ? inBundle && isInBundle(path, all) : SHA_512.test(integrity);
  if (isCovered) return [];
  return [{ rule: 'integrity', where: path, message: 'has no SHA-512 checksum: run npm install again' }];
}

/**
 * Whether the package lies in one that bundles it, whose checksum covers both.
 *
 * @param {string} path
 * @param {LockedPackages} all
 */
function isInBundle(path, all) {
  let outer = path;
  do outer = outer.slice(0, Math.max(0, outer.lastIndexOf('/node_modules/')));
  while (all[outer]?.inBundle);
  return [all[outer]?.bundleDependencies ?? []].flat().some(Boolean);
}

/**
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {Record<string, boolean>} allowScripts of package.json: packages that are false there never run scripts
 * @returns {Violation[]}
 */
function installScriptOf(path, { hasInstallScript }, allowScripts) {
  if (!hasInstallScript || allowScripts[nameOf(path)] === false) return [];
  const message =
    'has an install script: remove the package, or set it to false in allowScripts of package.json';
  return [{ rule: 'install script', where: path, message }];
}

/**
 * Checks the licence in the lock file and the one of the installed package, which may differ.
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
      {
        rule: 'licence',
        where: path,
        message: 'names no licence: ask its authors for one, or remove the package',
      },
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
 * The licence of a package.json. Older ones hold an object, or a list of objects to choose from.
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
 * @returns {any} null if the file does not exist
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}
