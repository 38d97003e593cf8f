/** The files of deploy/, without systemd and Kubernetes: what docs/to-production.md promises is in them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';

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
