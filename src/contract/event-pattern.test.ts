import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventKinds, type DataOf, type EventKind } from './catalogue.ts';
import type { OpenSet } from './field/schemas.ts';
import { kindsMatching, patternMatches, type EventPattern, type KindsOf } from './event-pattern.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

describe('patternMatches', () => {
  it.each([
    ['*', 'anything.at.all'],
    ['traffic-violation.*', 'traffic-violation.ticket.created'],
    ['company.*.updated', 'company.login.step.updated'],
    ['company.created', 'company.created'],
  ])('%s matches %s', (pattern, kind) => {
    expect(patternMatches(pattern, kind)).toBe(true);
  });

  it.each([
    ['charge.*', 'charge.'],
    ['company*.created', 'company.created'],
    ['company.*', 'company-x.created'],
    ['charge.c?eated', 'charge.created'],
    ['charge.[a-z]*', 'charge.created'],
  ])('%s does not match %s', (pattern, kind) => {
    expect(patternMatches(pattern, kind)).toBe(false);
  });

  it('agrees with a regular expression that has .+ for each *', () => {
    const piece = fc
      .array(fc.constantFrom('a', 'b', '.', '*'), { maxLength: 7 })
      .map((parts) => parts.join(''));
    const text = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 9 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(piece, text, (pattern, kind) => {
        const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.+')}$`);
        expect(patternMatches(pattern, kind)).toBe(expression.test(kind));
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('stays fast for a kind made to slow it down', () => {
    // A backtracking matcher would need about 10^20 steps.
    expect(patternMatches(`${'a*'.repeat(30)}b`, 'a'.repeat(50_000))).toBe(false);
  });
});

describe('kindsMatching', () => {
  it('keeps the order of the contract', () => {
    expect(kindsMatching('charge.*')).toEqual([
      'charge.created',
      'charge.updated',
      'charge.payment-slip.created',
      'charge.payment-slip.updated',
    ]);
    expect(kindsMatching('*')).toEqual(eventKinds);
  });

  it('returns nothing for a misspelled pattern or kind', () => {
    expect(kindsMatching('trafic-violation.*')).toEqual([]);
    expect(kindsMatching('charge.payd')).toEqual([]);
  });
});

describe('KindsOf', () => {
  it('contains the kinds that kindsMatching returns', () => {
    expectTypeOf<KindsOf<'charge.created'>>().toEqualTypeOf<'charge.created'>();
    expectTypeOf<KindsOf<'antt-violation.*'>>().toEqualTypeOf<
      | 'antt-violation.created'
      | 'antt-violation.updated'
      | 'antt-violation.ticket.created'
      | 'antt-violation.ticket.updated'
    >();
    expectTypeOf<KindsOf<'*.ticket.created'>>().toEqualTypeOf<
      'antt-violation.ticket.created' | 'traffic-violation.ticket.created'
    >();
    expectTypeOf<KindsOf<'company.*.updated'>>().toEqualTypeOf<
      'company.certificate.updated' | 'company.sne.updated' | 'company.login.step.updated'
    >();
    expectTypeOf<KindsOf<'*.login.*ed'>>().toEqualTypeOf<Extract<EventKind, `${string}.login.${string}`>>();
    expectTypeOf<KindsOf<'*'>>().toEqualTypeOf<EventKind>();
    expectTypeOf<KindsOf<'charge.created' | 'console-user.del*'>>().toEqualTypeOf<
      'charge.created' | 'console-user.deleted'
    >();
  });

  it('matches no `*` with an empty string', () => {
    expectTypeOf<KindsOf<'company*.created'>>().toEqualTypeOf<never>();
    expectTypeOf<KindsOf<'*company.created'>>().toEqualTypeOf<never>();
    expectTypeOf<KindsOf<'company.created*'>>().toEqualTypeOf<never>();
  });

  it('is never when nothing matches', () => {
    expectTypeOf<KindsOf<'trafic-violation.*'>>().toEqualTypeOf<never>();
    expectTypeOf<KindsOf<'user.login.failed'>>().toEqualTypeOf<never>();
  });
});

describe('EventPattern', () => {
  it('accepts kinds and wildcards, and no misspelled kind', () => {
    expectTypeOf<'charge.created'>().toExtend<EventPattern>();
    expectTypeOf<'charge.*'>().toExtend<EventPattern>();
    expectTypeOf<'*'>().toExtend<EventPattern>();
    expectTypeOf<'charge.payd'>().not.toExtend<EventPattern>();
  });
});

describe('DataOf', () => {
  it('is the type of the kind’s data', () => {
    type Attempt = DataOf<'company.login.started'>;
    expectTypeOf<Attempt['id']>().toEqualTypeOf<number>();
    expectTypeOf<Attempt['attempt']>().toEqualTypeOf<number>();
    expectTypeOf<Attempt['step']>().toEqualTypeOf<OpenSet<
      'credentials' | 'username' | 'password' | 'certificate' | 'otp' | 'completed'
    > | null>();
    expectTypeOf<DataOf<'console-user.deleted'>['id']>().toEqualTypeOf<string>();
    expectTypeOf<DataOf<'charge.created'>['amount']>().toEqualTypeOf<number | null | undefined>();
  });

  it('lists the known values of an open set, and accepts any other', () => {
    type Status = DataOf<'traffic-violation.updated'>['status'];
    expectTypeOf<'paid'>().toExtend<Status>();
    expectTypeOf<string>().toExtend<Status>();
    expectTypeOf<string>().toExtend<DataOf<'antt-violation.updated'>['status']>();
  });

  it('has no other fields: a misspelled name does not compile', () => {
    expectTypeOf<DataOf<'charge.created'>>().not.toHaveProperty('statuz');
  });
});
