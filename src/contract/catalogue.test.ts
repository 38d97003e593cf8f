import { describe, expect, expectTypeOf, it } from 'vitest';
import { catalogue, eventKinds, isEventKind, type CatalogueEntry, type EventKind } from './catalogue.ts';

describe('the catalogue', () => {
  it('contains the kinds of the specification, in its order', () => {
    expect(eventKinds).toEqual([
      'company.created',
      'company.updated',
      'company.certificate.updated',
      'company.sne.updated',
      'company.login.connected',
      'company.login.disconnected',
      'company.login.started',
      'company.login.step.updated',
      'company.login.succeeded',
      'company.login.failed',
      'user.login.connected',
      'user.login.disconnected',
      'user.login.started',
      'user.login.step.updated',
      'user.login.succeeded',
      'console-user.created',
      'console-user.updated',
      'console-user.deleted',
      'antt-violation.created',
      'antt-violation.updated',
      'antt-violation.ticket.created',
      'antt-violation.ticket.updated',
      'traffic-violation.created',
      'traffic-violation.updated',
      'traffic-violation.ticket.created',
      'traffic-violation.ticket.updated',
      'traffic-violation.indication.created',
      'traffic-violation.indication.updated',
      'charge.created',
      'charge.updated',
      'charge.payment-slip.created',
      'charge.payment-slip.updated',
    ]);
  });

  it.each(Object.values(catalogue))('describes $kind under its own name', (entry) => {
    expect(catalogue[entry.kind]).toBe(entry);
    expect(entry.title).toMatch(/^[A-Z]/);
    expect(entry.description).toMatch(/^[A-Z].*\.$/);
    expect(entry.section).toMatch(/^(Resources|Events), /);
  });

  it('gives every entry the exact type of its kind', () => {
    expectTypeOf(catalogue['charge.created'].kind).toEqualTypeOf<'charge.created'>();
    expectTypeOf(catalogue['charge.created'].family).toEqualTypeOf<'charge'>();
    expectTypeOf(catalogue).toExtend<Readonly<Record<EventKind, CatalogueEntry>>>();
  });
});

describe('isEventKind', () => {
  it('accepts the kinds of the contract, and no inherited property', () => {
    expect(isEventKind('charge.payment-slip.created')).toBe(true);
    for (const text of [
      'user.login.failed',
      'company.sync.done',
      'Charge.created',
      '',
      'toString',
      '__proto__',
    ]) {
      expect(isEventKind(text), text).toBe(false);
    }
  });
});
