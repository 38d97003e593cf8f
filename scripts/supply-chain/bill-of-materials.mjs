/** The bill of materials of what users install: CycloneDX, by npm, from the lock file alone. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { packageLock, root } from '../bootstrap/paths.mjs';
import { misnamed } from './licences.mjs';

/**
 * @typedef {{ name: string, version: string, 'bom-ref': string,
 *   licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component
 * @typedef {{ metadata: { component: Component }, components: Component[],
 *   dependencies: { ref: string, dependsOn: string[] }[] }} BillOfMaterials
 */

/**
 * The packages that an install of a package brings, and those that its build contains. `npm sbom --omit dev` would leave
 * out every package that a development package needs, too, such as zod.
 *
 * @param {{ name: string, version: string, dependencies?: Record<string, string> }} manifest of the package
 * @param {readonly string[]} [contained] names and versions, as `zod@4.6.7`
 * @returns {BillOfMaterials}
 * @throws {Error} if npm reports a problem, a package is missing, or a licence is unknown
 */
export function billOfMaterials({ name, version, dependencies = {} }, contained = []) {
  const whole = everything();
  const own = `${name}@${version}`;
  const needed = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const nameOf = (/** @type {string} */ ref) => ref.slice(0, ref.lastIndexOf('@'));
  const direct = (needed.get(own) ?? []).filter((ref) => Object.hasOwn(dependencies, nameOf(ref)));
  // A set grows while it is read.
  const installed = new Set(direct);
  for (const ref of installed) for (const each of needed.get(ref) ?? []) installed.add(each);
  const all = new Set([...installed, ...contained]);
  const components = whole.components.filter((each) => all.has(each['bom-ref'])).map(withLicence);
  if (direct.length !== Object.keys(dependencies).length || components.length !== all.size)
    throw new Error(`the lock file lacks a package of ${own}`);
  const unknown = components.filter((each) => licenceOf(each) === '').map((each) => each['bom-ref']);
  if (unknown.length > 0) throw new Error(`no licence is known of ${unknown.join(' and ')}`);
  const component = [whole.metadata.component, ...whole.components].find((each) => each['bom-ref'] === own);
  if (component === undefined) throw new Error(`${own} is not in the lock file`);
  return {
    ...whole,
    metadata: { ...whole.metadata, component: { ...component, name } },
    components,
    dependencies: [
      { ref: own, dependsOn: [...new Set([...direct, ...contained])] },
      ...[...all].map((ref) => ({ ref, dependsOn: installed.has(ref) ? (needed.get(ref) ?? []) : [] })),
    ],
  };
}

/** @param {Component} component */
export function licenceOf({ licenses = [] }) {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
  return names.join(' AND ');
}

/**
 * npm leaves out what is no name of SPDX.
 *
 * @param {Component} component
 * @returns {Component}
 */
function withLicence(component) {
  const { packages } = JSON.parse(readFileSync(packageLock, 'utf8'));
  const id = misnamed.get(packages[`node_modules/${component.name}`]?.license);
  return id === undefined ? component : { ...component, licenses: [{ license: { id } }] };
}

/** @returns {BillOfMaterials} */
function everything() {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const shell = process.platform === 'win32';
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    shell,
  });
  if (status !== 0) throw new Error(`npm sbom: ${stderr}`);
  return JSON.parse(stdout);
}
