import { beforeEach, describe, expect, it } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import type { NewAuditEntry } from '../store/audit.ts';
import type { OperatorAction } from '../telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { Operation } from './operation.ts';
import { createAuditor, type Auditor } from './auditor.ts';

let clock: ManualClock;
let stored: NewAuditEntry[];
let logged: OperatorAction[];
let failures: string[];
let full: boolean;
let auditor: Auditor;

beforeEach(() => {
  clock = manualClock('2026-11-20T12:00:00Z');
  stored = [];
  logged = [];
  failures = [];
  full = false;
  auditor = createAuditor({
    clock,
    store: {
      appendAudit(entry) {
        if (full) return Promise.reject(new PortariaError('store-full', 'the disk is full'));
        return Promise.resolve(`u${String(stored.push(entry))}`);
      },
    },
    telemetry: {
      emit(name, fields) {
        if (name === 'operator.acted') logged.push(fields as OperatorAction);
        if (name === 'audit.failed') failures.push((fields as { reason: string }).reason);
      },
    },
  });
});

const operation = (changes: Partial<Operation> = {}): Operation => ({
  operator: { place: 'console', name: 'ana', kind: 'proxy', address: '10.0.0.9' },
  action: 'retryDeliveries',
  subject: { delivery: ['d1', 'd2'] },
  ...changes,
});

const done = { result: 'done', status: 303 } as const;

describe('a change', () => {
  it('is stored before it begins, and once more when it ends, with one line in the log', async () => {
    const started = await auditor.start(operation({ reason: ' the bank answers again ' }));
    expect(stored).toMatchObject([
      {
        actor: 'ana',
        result: 'unfinished',
        subject: { delivery: 'd1, d2' },
        reason: 'the bank answers again',
      },
    ]);
    expect(logged).toEqual([]);

    clock.advance(70);
    await started.end({ ...done, details: { plan: 'p3' } });

    expect(stored[1]).toMatchObject({ ends: 'u1', result: 'done', status: 303, subject: { plan: 'p3' } });
    expect(stored[1]?.at).toBe((stored[0]?.at ?? 0) + 70);
    expect(logged).toMatchObject([{ actor: 'proxy', audit: 'u1', result: 'done', subject: { plan: 'p3' } }]);
  });

  it('is not made when it cannot be stored, and the error says so', async () => {
    full = true;
    await expect(auditor.start(operation())).rejects.toMatchObject({
      code: 'store-full',
      message: 'Nothing was changed, because the audit cannot record it: the disk is full',
    });
    expect(failures).toHaveLength(1);
  });

  it('that was made stays made when its end cannot be stored: the log has it', async () => {
    const started = await auditor.start(operation());
    full = true;
    await started.end(done);
    expect(stored).toHaveLength(1);
    expect(logged).toMatchObject([{ result: 'done', audit: 'u1' }]);
  });
});

it('personal data is not shown when that cannot be stored', async () => {
  full = true;
  const shown = auditor.record(operation({ unmasked: true }), done);
  await expect(shown).rejects.toThrow('Nothing is shown, because the audit cannot record it');
  expect(logged).toEqual([]);
});

it('a sign-in works on a full disk: the log has it', async () => {
  full = true;
  await auditor.note(operation({ action: 'signIn' }), done);
  expect(logged).toMatchObject([{ action: 'signIn', audit: null }]);
  expect(failures).toHaveLength(1);
});

it('sign-ins that are repeated are counted: one entry at once and one a minute', async () => {
  for (let at = 0; at < 500; at += 1) await auditor.note(operation({ action: 'signIn' }), done);
  expect(stored).toMatchObject([{ action: 'signIn', result: 'done', times: 1 }]);
  clock.advance(60_000);
  await settled();
  expect(stored.slice(1)).toMatchObject([{ action: 'signIn', result: 'done', times: 499 }]);
  expect(logged).toHaveLength(500);
});

it('a flood of rejected requests leaves a sign-in its entry', async () => {
  for (let at = 0; at < 100; at += 1) {
    const operator = { ...operation().operator, address: `10.0.0.${String(at)}` };
    await auditor.reject(operation({ action: 'authenticate', operator }), 401);
  }
  await auditor.note(operation({ action: 'signIn' }), done);
  expect(stored.filter(({ action }) => action === 'signIn')).toMatchObject([{ result: 'done' }]);
});

describe('what is stored', () => {
  it('names each of many ids, up to a thousand, where the log names ten', async () => {
    const ids = Array.from({ length: 1_200 }, (_, at) => `d${String(at + 1)}`);
    await auditor.record(operation({ subject: { delivery: ids } }), done);
    expect(stored[0]?.subject['delivery']).toMatch(/^d1, d2, .* d1000 and 200 more$/u);
    expect(logged[0]?.subject['delivery']).toBe('d1, d2, d3, d4, d5, d6, d7, d8, d9, d10 and 1190 more');
  });

  it('holds no personal data of a subject or in a reason', async () => {
    const subject = { subject: 'user:52998224725', filter: 'ana@example.com' };
    await auditor.record(operation({ subject, reason: 'Ana, CPF 529.982.247-25, asked' }), done);
    expect(stored[0]).toMatchObject({
      subject: { subject: 'user:<cpf>', filter: '<email>' },
      reason: 'Ana, CPF <cpf>, asked',
    });
  });

  it('names a person whom a proxy named; the log names the proxy only', async () => {
    const operator = { ...operation().operator, name: 'ana@example.com' };
    await auditor.record(operation({ operator }), done);
    expect(stored[0]?.actor).toBe('ana@example.com');
    expect(JSON.stringify(logged)).not.toContain('ana@example.com');
  });
});

describe('rejected requests', () => {
  const rejected = (address: string): Operation =>
    operation({
      action: 'authenticate',
      operator: { ...operation().operator, name: null, kind: null, address },
    });

  it('are stored once at first, then as a number each minute', async () => {
    for (let at = 0; at < 1_000; at += 1) void auditor.reject(rejected('10.0.0.9'), 401);
    await settled();
    expect(stored).toMatchObject([{ result: 'rejected', times: 1, status: 401, actor: null }]);
    clock.advance(60_000);
    await settled();
    expect(stored[1]).toMatchObject({ address: '10.0.0.9', times: 999, at: clock.now() });
    clock.advance(600_000);
    await settled();
    expect(stored).toHaveLength(2);
    expect(logged).toHaveLength(1_000);
  });

  it('of a flood from a thousand addresses take 21 entries a minute', async () => {
    for (let round = 0; round < 3; round += 1)
      for (let at = 0; at < 1_000; at += 1)
        void auditor.reject(rejected(`10.0.${String(at >> 8)}.${String(at & 255)}`), 401);
    await settled();
    expect(stored).toHaveLength(10);
    clock.advance(60_000);
    await settled();
    expect(stored).toHaveLength(21);
    expect(stored.at(-1)).toMatchObject({ address: null, subject: {}, times: 3_000 - 30 });
    expect(stored.reduce((sum, { times }) => sum + times, 0)).toBe(3_000);
  });

  it('that were counted are stored at the close', async () => {
    for (let at = 0; at < 3; at += 1) void auditor.reject(rejected('10.0.0.9'), 403);
    await auditor.close();
    expect(stored.map(({ times }) => times)).toEqual([1, 2]);
  });

  it('stay rejected on a full disk', async () => {
    full = true;
    void auditor.reject(rejected('10.0.0.9'), 403);
    await auditor.close();
    expect(stored).toEqual([]);
  });
});

/** Lets entries that nobody waits for be appended. */
async function settled(): Promise<void> {
  for (let tick = 0; tick < 300; tick += 1) await Promise.resolve();
}
