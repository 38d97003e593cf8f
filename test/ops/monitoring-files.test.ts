/** The files for Prometheus and Grafana name only metrics and labels that /metrics has. */
import { specification } from '../../src/contract/specification.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { addMonitoringGauges } from '../../src/ops/monitoring-gauges.ts';
import { addStoreGauges } from '../../src/ops/store-gauges.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { createMetricsSubscriber } from '../../src/telemetry/metrics-subscriber.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { composedPortaria } from '../support/composed-portaria.ts';

const place = (name: string) => fileURLToPath(new URL(`../../docs/monitoring/${name}`, import.meta.url));
const rules = readFileSync(place('alerts.yml'), 'utf8');
const dashboard = readFileSync(place('dashboard.json'), 'utf8');

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
  );
  const known = new Set([...(await response.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));

  const named = new Set(`${rules}${dashboard}`.match(METRIC)?.map(baseName));

  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
});

test('every label in an expression is one of its metric', async () => {
  const registry = new Registry();
  const clock = manualClock();
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  collectDefaultMetrics({ register: registry });
  createMetricsSubscriber(registry, specification);
  addStoreGauges(registry, { store, clock });
  addMonitoringGauges(registry, { store, clock, observation: () => null });
  const labelsOf = (metric: string): readonly string[] => {
    const { labelNames = [] } = (registry.getSingleMetric(baseName(metric)) ?? {}) as {
      labelNames?: readonly string[];
    };
    // Prometheus adds these.
    return [...labelNames, 'le', 'job', 'instance'];
  };

  const mistakes = expressions.flatMap((expression) => {
    const metrics = expression.match(METRIC) ?? [];
    const inBraces = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', labels = '']) =>
      labels.split(',').map((label) => [metric, label.split(/[=!~]/)[0] ?? '']),
    );
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
      labels.split(', ').map((label) => [metrics[0] ?? '', label]),
    );
    return [...inBraces, ...grouped].filter(([metric = '', label = '']) => !labelsOf(metric).includes(label));
  });

  expect(mistakes).toEqual([]);
  await store.close();
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

  test.skipIf(!isFound)(
    `accepts the alert rules${isFound ? '' : ' (skipped: promtool is not installed)'}`,
    () => {
      expect(
        execFileSync('promtool', ['check', 'rules', place('alerts.yml')], { encoding: 'utf8' }),
      ).toContain('SUCCESS');
    },
  );
});
