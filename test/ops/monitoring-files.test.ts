/** The files for Prometheus and Grafana name only metrics and labels that /metrics has. */
import { specification } from '../../src/contract/specification.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addMonitoringGauges } from '../../src/ops/monitoring-gauges.ts';
import { addProcessGauges } from '../../src/ops/operators-api.ts';
import { addStoreGauges } from '../../src/ops/store-gauges.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { createMetricsSubscriber } from '../../src/telemetry/metrics-subscriber.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { composedPortaria } from '../support/composed-portaria.ts';

const place = (name: string) => fileURLToPath(new URL(`../../docs/monitoring/${name}`, import.meta.url));
const rules = readFileSync(place('alerts.yml'), 'utf8');
const dashboard = readFileSync(place('dashboard.json'), 'utf8');

const guide = readFileSync(
  fileURLToPath(new URL('../../docs/internals/monitoring.md', import.meta.url)),
  'utf8',
);

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(dashboard) as { readonly panels: readonly Panel[] };
const expressions = [
  ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

const METRIC = /\b(?:portaria|process|nodejs)_[a-z0-9_]+/g;
/** A histogram has three series for one metric. */
const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

test('every metric that the files name is in /metrics of a running Portaria', async () => {
  const portaria = await composedPortaria({});
  await portaria.start();
  const response = await portaria.opsApp.fetch(
    new Request('http://127.0.0.1/metrics', { headers: { host: '127.0.0.1' } }),
    { incoming: { socket: { remoteAddress: '127.0.0.1' } } },
  );
  const known = new Set([...(await response.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));

  const named = new Set(`${rules}${dashboard}`.match(METRIC)?.map(baseName));

  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
});

/** A metric with its label names, which prom-client does not export. */
interface Metric {
  readonly name: string;
  readonly labelNames?: readonly string[];
}

/** The metrics that every process of a store reads from it, and those of a process. */
async function givenMetrics() {
  const clock = manualClock();
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  onTestFinished(() => store.close());
  const ofStore = new Registry();
  addStoreGauges(ofStore, { store, clock });
  addMonitoringGauges(ofStore, { store, clock, observation: () => ({ problems: [], quiet: [] }) });
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  createMetricsSubscriber(ofProcess, specification);
  addProcessGauges(ofProcess, { store, version: '1' });
  const metricsOf = (registry: Registry) => registry.getMetricsAsArray() as unknown as readonly Metric[];
  return { ofStore: metricsOf(ofStore), ofProcess: metricsOf(ofProcess) };
}

/** The text between a parenthesis and the one that closes it. */
function inParentheses(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(open, at + 1);
  }
  return text.slice(open);
}

/** The metrics of an expression that no `max` over processes encloses. */
function unmergedMetrics(expression: string): readonly string[] {
  const merges = [...expression.matchAll(/\bmax(?: by \(([^)]*)\) )?(?=\()/g)]
    .filter(([, labels = '']) => !labels.split(', ').includes('instance'))
    .map(({ index, 0: operator }) => inParentheses(expression, index + operator.length));
  const outside = merges.reduce((rest, merged) => rest.replace(merged, '()'), expression);
  return (outside.match(METRIC) ?? []).map(baseName);
}

test.each([
  ['portaria_dead_letters > 0', ['portaria_dead_letters']],
  ['max by (job, handler) (portaria_dead_letters) > 0', []],
  ['max by (instance) (portaria_dead_letters) > 0', ['portaria_dead_letters']],
  ['sum by (handler) (portaria_dead_letters)', ['portaria_dead_letters']],
  ['count(portaria_problems == 1) or max(portaria_paused)', ['portaria_problems']],
  ['max by (sender) (increase(portaria_pruned_total{job="$job"}[5m])) > 0', []],
])('the metrics of %s that are not merged over processes are %j', (expression, unmerged) => {
  expect(unmergedMetrics(expression)).toEqual(unmerged);
});

test('what every process reads from the store is merged in each expression', async () => {
  const ofStore = new Set((await givenMetrics()).ofStore.map(({ name }) => name));

  expect(expressions.filter((one) => unmergedMetrics(one).some((name) => ofStore.has(name)))).toEqual([]);
  expect(
    expressions.flatMap((one) => one.match(METRIC) ?? []).filter((name) => ofStore.has(name)),
  ).not.toEqual([]);
});

test('the guide names each metric in the group that it belongs to', async () => {
  const { ofStore, ofProcess } = await givenMetrics();
  const namedIn = (row: string) =>
    guide
      .split('\n')
      .find((line) => line.startsWith(`| ${row}`))
      ?.match(METRIC)
      ?.toSorted() ?? [];

  expect(namedIn('the store')).toEqual(ofStore.map(({ name }) => name).toSorted());
  expect(namedIn('a process')).toEqual(
    ofProcess
      .map(({ name }) => name)
      .filter((name) => name.startsWith('portaria_'))
      .toSorted(),
  );
});

test('every label in an expression is one of its metric', async () => {
  const { ofStore, ofProcess } = await givenMetrics();
  const metrics = new Map([...ofStore, ...ofProcess].map((metric) => [metric.name, metric]));
  const labelsOf = (metric: string): readonly string[] => {
    const { labelNames = [] } = metrics.get(baseName(metric)) ?? {};
    // Prometheus adds these.
    return [...labelNames, 'le', 'job', 'instance'];
  };

  const mistakes = expressions.flatMap((expression) => {
    const named = expression.match(METRIC) ?? [];
    const inBraces = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', labels = '']) =>
      labels.split(',').map((label) => [metric, label.split(/[=!~]/)[0] ?? '']),
    );
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
      labels.split(', ').map((label) => [named[0] ?? '', label]),
    );
    return [...inBraces, ...grouped].filter(([metric = '', label = '']) => !labelsOf(metric).includes(label));
  });

  expect(mistakes).toEqual([]);
});

test('the panels of the dashboard do not overlap', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${String(x + (at % w))},${String(y + Math.floor(at / w))}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
});

describe('promtool', () => {
  const isFound = spawnSync('promtool', ['--version']).error === undefined;
  const reason = isFound ? '' : ' (skipped: promtool is missing: apt-get install prometheus)';
  const promtool = (...parameters: readonly string[]) =>
    execFileSync('promtool', parameters, { encoding: 'utf8' });

  test.skipIf(!isFound)(`accepts the alert rules${reason}`, () => {
    expect(promtool('check', 'rules', place('alerts.yml'))).toContain('SUCCESS');
  });

  test.skipIf(!isFound)(`finds that each alert fires once, for one process and for several${reason}`, () => {
    const cases = fileURLToPath(new URL('alert-rules.yml', import.meta.url));
    expect(promtool('test', 'rules', cases)).toContain('SUCCESS');
  });
});
