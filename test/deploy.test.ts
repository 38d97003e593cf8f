/** The files of deploy/, without systemd and a cluster: what docs/to-production.md promises is in them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settings } from '../src/config/settings.ts';
import { compiled } from './support/compiler.ts';
import { createWorkspace } from './support/workspace.ts';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const kubernetes = (name: string) => read(`deploy/kubernetes/${name}.yaml`);
const guide = read('docs/to-production.md');
const unit = read('deploy/portaria.service');
const base = kubernetes('base/kustomization');
const receiver = kubernetes('base/receiver');
const postgres = kubernetes('postgres/kustomization');

/** A setting in milliseconds. */
const milliseconds = (name: keyof typeof settings) => Number(settings[name].fallback);
/** The number behind a name. */
const numberOf = (text: string, name: string) =>
  Number(new RegExp(`${name}[:=] ?(\\d+)`, 'u').exec(text)?.[1]);

test('the guide and the manifests set known settings', () => {
  const set = [...`${guide}\n${base}\n${postgres}`.matchAll(/^(?: +- )?(PORTARIA_\w+)=/gmu)];
  expect(set.length).toBeGreaterThan(15);
  expect(set.filter(([, name = '']) => !Object.hasOwn(settings, name))).toEqual([]);
});

test('secrets are files that the guide makes', () => {
  const files = [...`${base}${postgres}`.matchAll(/=\/run\/secrets\/portaria\/([\w-]+)/gu)];
  expect(files.map(([, name = '']) => name).toSorted()).toEqual([
    ...['database', 'ops-token', 'view-token', 'webhook-secrets'],
  ]);
  for (const [, name = ''] of files) expect(guide).toContain(`--from-file=${name}`);
});

test('the umask of the secrets ends with their subshell, and the proxies pass probes, too', () => {
  expect(guide).toMatch(/^\(\n {2}cd \/etc\/portaria && umask 027\n[^]*?\n\)\n/mu);
  expect(guide).toMatch(/path \/webhooks\* \/healthz[^]*location = \/healthz/u);
});

test('handlers have their time to finish before the process is killed', () => {
  const grace = milliseconds('PORTARIA_SHUTDOWN_GRACE_MS') / 1_000;
  const sleep = numberOf(receiver, 'seconds');
  expect(numberOf(unit, 'TimeoutStopSec')).toBeGreaterThan(grace);
  expect(numberOf(receiver, 'terminationGracePeriodSeconds')).toBeGreaterThan(grace + sleep);
});

test('a probe restarts for the process alone, and later than the watchdog', () => {
  const [, liveness = ''] = receiver.split('livenessProbe:');
  expect(liveness).toMatch(/^\s+httpGet: \{ path: \/healthz, port: operators \}/u);
  expect(
    numberOf(liveness, 'periodSeconds') * numberOf(liveness, 'failureThreshold') * 1_000,
  ).toBeGreaterThan(milliseconds('PORTARIA_STALL_TIMEOUT_MS'));
  expect(receiver.split('readinessProbe:')[1]).toMatch(/^\s+httpGet: \{ path: \/healthz, port: webhooks \}/u);
});

test('a pod has no variables of services, no root and no privileges', () => {
  for (const line of [
    'enableServiceLinks: false',
    'runAsNonRoot: true',
    'readOnlyRootFilesystem: true',
    '[ALL]',
  ])
    expect(receiver).toContain(line);
});

test('one receiver has a volume, and three of PostgreSQL are replaced one at a time', () => {
  expect(kubernetes('sqlite/kustomization')).toContain('persistentVolumeClaim: { claimName: portaria }');
  expect(kubernetes('sqlite/volume')).toMatch(/name: portaria[^]*ReadWriteOncePod/u);
  expect(postgres).toMatch(/replicas\s+value: 3[^]*maxUnavailable: 1, maxSurge: 0/u);
  expect(receiver).toMatch(/PodDisruptionBudget[^]*maxUnavailable: 1/u);
});

test('the unit runs what a tarball installs, without privileges', () => {
  expect(unit).toContain('/usr/bin/node /opt/portaria/node_modules/portaria/dist/src/cli/main.js serve\n');
  for (const line of ['User=portaria', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'Restart=always'])
    expect(unit.split('\n')).toContain(line);
});

/** An object of Kubernetes, or a file for Kustomize. */
type Manifest = Readonly<Record<string, unknown>> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resources: readonly string[];
  readonly patches: readonly { readonly patch: string }[];
};

/** Kubernetes reads YAML 1.1, in which 0440 is octal. */
const parsed = (text: string) =>
  parseAllDocuments(text, { version: '1.1' }).map((each) => each.toJS() as unknown);

/** What `kubectl apply --kustomize` sends, without the names and the settings that it makes. */
function manifestsOf(overlay: string): readonly Manifest[] {
  const [{ resources, patches }] = parsed(kubernetes(`${overlay}/kustomization`)) as [Manifest];
  const own = resources
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${overlay}/${name.slice(0, -5)}`);
  const all = ['base/receiver', 'base/services', ...own].flatMap(
    (name) => parsed(kubernetes(name)) as Manifest[],
  );
  const deployment = all.find(({ kind }) => kind === 'Deployment');
  Object.assign(deployment!['spec'] as object, { selector: { matchLabels: {} } });
  for (const { path, value } of patches.flatMap(({ patch }) => parsed(patch)).flat() as {
    path: string;
    value: unknown;
  }[]) {
    const keys = path.split('/').slice(1);
    const place = keys.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key) as object, deployment!);
    Reflect.set(place, keys.at(-1)!, value);
  }
  return all;
}

/** What the compiler says of manifests, by the types of the oldest supported Kubernetes: they know every field. */
function mistakesIn(manifests: readonly Manifest[]): string {
  const { folder } = createWorkspace();
  const types = join(import.meta.dirname, '../node_modules/kubernetes-types/*');
  const compilerOptions = { strict: true, noEmit: true, types: [], paths: { 'kubernetes-types/*': [types] } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const lines = manifests.map((manifest, at) => {
    const group = manifest.apiVersion === 'v1' ? 'core/v1' : manifest.apiVersion;
    return `export const m${String(at)}: import('kubernetes-types/${group}').${manifest.kind} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  return compiled(folder);
}

test.each(['sqlite', 'postgres'])(
  'every field of the manifests of %s is one of Kubernetes 1.30',
  (overlay) => {
    const manifests = manifestsOf(overlay);
    expect(mistakesIn(manifests)).toBe('');
    expect(JSON.stringify(manifests)).toContain(`"defaultMode":${String(0o440)}`);
    const mistaken = JSON.stringify(manifests)
      .replace('periodSeconds', 'periodSecond')
      .replace('"port":80', '"port":"http"');
    const found = mistakesIn(JSON.parse(mistaken) as Manifest[]).split('\n');
    expect(found).toEqual([
      expect.stringContaining("does not exist in type 'Probe'"),
      expect.stringContaining("'string' is not assignable to type 'number'"),
      '',
    ]);
  },
);
