import { describe, expect, it } from 'vitest';
import { eventKinds } from '../../contract/catalogue.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import { openSet } from '../../contract/field/schemas.ts';
import { testContext } from '../../testing/test-context.ts';
import { testEvent } from '../../testing/test-event.ts';
import { extendContract } from '../kinds/extend-contract.ts';
import { defineKind } from '../kinds/kind-definition.ts';
import { createRegistry } from './registry.ts';
import { defineHandler } from '../define/handler.ts';
import { defineMachine } from '../define/machine.ts';

const handle = (): void => undefined;
const exact = defineHandler({ name: 'exact', on: 'company.created', order: 'none', handle });
const wild = defineHandler({ name: 'wild', on: 'company.*', stale: true, order: 'handler', handle });
const all = defineHandler({ name: 'all', on: '*', handle });
const machine = defineMachine({ name: 'tracker', on: 'company.*', initial: 0, evolve: (count) => count + 1 });
const registry = createRegistry([exact, machine, wild, all]);

describe('a handler with strictValues', () => {
  const refunded = testEvent('charge.updated', { data: { status: 'refunded' } });
  const strict = defineHandler({ name: 'strict', on: 'charge.*', strictValues: true, handle: () => 'ran' });
  const run = (contract?: Contract): unknown => {
    const runnable = createRegistry([strict], contract).runnable('strict');
    return runnable?.type === 'handler' && runnable.handler.handle(refunded, testContext());
  };

  it('gives up on a value that is not listed, and runs once a defineKind lists it', () => {
    expect(() => run()).toThrow('data.status is "refunded", and strictValues takes pending, paid, overdue');
    const schema = z.object({ status: openSet(['pending', 'paid', 'overdue', 'refunded']) });
    const kind = { definition: defineKind('charge.updated', { schema }), file: 'charge.ts' };
    expect(run(extendContract({ kinds: [kind], sources: [] }))).toBe('ran');
  });
});

describe('the routes of an event', () => {
  it('lead to every definition that matches its kind, in the order of registration', () => {
    expect(registry.routesFor({ kind: 'company.created', recognized: true })).toEqual([
      { handler: 'exact', order: 'none', stale: false },
      { handler: 'tracker', order: 'subject', stale: true },
      { handler: 'wild', order: 'handler', stale: true },
      { handler: 'all', order: 'subject', stale: false },
    ]);
    expect(
      registry.routesFor({ kind: 'charge.updated', recognized: true }).map(({ handler }) => handler),
    ).toEqual(['all']);
  });

  it('lead only to wildcard handlers when the kind is not in the contract', () => {
    const names = (kind: string): string[] =>
      registry.routesFor({ kind, recognized: false }).map(({ handler }) => handler);
    expect(names('company.merged')).toEqual(['wild', 'all']);
    expect(names('nothing')).toEqual(['all']);
  });

  it('are empty without handlers', () => {
    expect(createRegistry([]).routesFor({ kind: 'company.created', recognized: true })).toEqual([]);
  });
});

describe('a registry', () => {
  it('finds runnables by delivery name, with separate names for a machine and its effects', () => {
    expect(registry.deliveryNames).toEqual(['exact', 'tracker', 'tracker/effects', 'wild', 'all']);
    expect(registry.runnable('exact')).toEqual({ type: 'handler', handler: exact });
    expect(registry.runnable('tracker')).toMatchObject({ type: 'fold', machine: { name: 'tracker' } });
    expect(registry.runnable('tracker/effects')).toMatchObject({
      type: 'effects',
      machine: { name: 'tracker' },
    });
    expect(registry.runnable('gone')).toBeUndefined();
  });

  it('lists the definitions that receive each of the 32 kinds', () => {
    const coverage = createRegistry([exact, machine]).coverage();
    expect(coverage).toHaveLength(32);
    expect(coverage.filter(({ handlers }) => handlers.length > 0).map(({ kind }) => kind)).toEqual(
      eventKinds.filter((kind) => kind.startsWith('company.')),
    );
    expect(coverage[0]).toEqual({ kind: 'company.created', handlers: ['exact', 'tracker'] });
  });

  it('rejects every duplicate name', () => {
    const twice = [exact, { ...wild, name: 'exact' }, machine, { ...all, name: 'tracker' }];
    expect(() => createRegistry(twice)).toThrow(PortariaError);
    expect(() => createRegistry(twice)).toThrow(
      /handler "exact": the name is already in use.*handler "tracker"/,
    );
  });
});
