import { machineSpecification, testEvent } from 'portaria/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import slipMachine, { paymentSlip } from './payment-slip.ts';

const families = ['traffic-violation.ticket', 'antt-violation.ticket', 'charge.payment-slip'] as const;
const statuses = ['pending', 'requested', 'issued', 'rejected', 'failed'] as const;
type Family = (typeof families)[number];
type Status = (typeof statuses)[number];

/** Returns a function that creates events of one slip, each a second after the last. */
function slip(family: Family = 'antt-violation.ticket') {
  let second = 0;
  return (status: Status, data: object = {}, action: 'created' | 'updated' = 'updated') => {
    const updated_at = new Date(Date.UTC(2026, 10, 25, 13, 0, (second += 1))).toISOString();
    return testEvent(`${family}.${action}`, { data: { id: 7, status, updated_at, ...data } as never });
  };
}

const spec = machineSpecification(slipMachine);
const unpaid = { barcode: null, pix: null };

describe.each(families)('a slip of %s', (family) => {
  it('takes a status that is not known as an anomaly, and follows it', () => {
    const event = slip(family);
    const given = [event('pending', {}, 'created')];
    const later = event('reissued' as Status);
    spec
      .given(given)
      .when(later)
      .then({ status: 'reissued' })
      .thenAnomalies(/^pending became reissued$/, /^status reissued is not known$/);
    expect(later.flags).toEqual(['unknown-value']);
  });

  it('is pending, requested and issued', () => {
    const event = slip(family);
    const [pending, requested, issued] = [
      event('pending', {}, 'created'),
      event('requested'),
      event('issued'),
    ];
    spec.given([]).when(pending).then({ status: 'pending' }).thenAnomalies();
    spec.given([pending]).when(requested).then({ status: 'requested' }).thenAnomalies();
    spec.given([pending, requested]).when(issued).then({ status: 'issued' }).thenAnomalies();
    // The same events in another order.
    spec.given([issued, pending]).when(requested).then({ status: 'issued' }).thenAnomalies();
  });

  it.each(['rejected', 'failed'] as const)('may be %s instead', (end) => {
    const event = slip(family);
    const given = [event('pending', {}, 'created'), event('requested')];
    spec.given(given).when(event(end)).then({ status: end }).thenAnomalies();
  });
});

describe('an anomaly of a slip', () => {
  const expectedMoves = ['pending requested', 'pending issued', 'pending rejected', 'pending failed'];
  expectedMoves.push('requested issued', 'requested rejected', 'requested failed');
  const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  it.each(moves)('is an unexpected move: %s to %s', (from, to) => {
    const event = slip();
    const [first, second] = [event(from), event(to)];
    const expected = from === to || expectedMoves.includes(`${from} ${to}`);
    spec
      .given([first])
      .when(second)
      // Expected or not, the state is what the provider reports.
      .then({ status: to })
      .thenAnomalies(...(expected ? [] : [new RegExp(`^${from} became ${to}$`)]));
  });

  it('is a creation with another status, or a second creation', () => {
    const event = slip();
    spec
      .given([])
      .when(event('requested', {}, 'created'))
      .thenAnomalies(/^created as requested, instead of pending$/);
    spec
      .given([event('pending')])
      .when(event('pending', {}, 'created'))
      .thenAnomalies(/^created again$/);
  });

  it('is not a first event of a slip older than the receiver', () => {
    spec.given([]).when(slip()('rejected')).then({ status: 'rejected' }).thenAnomalies();
  });

  it.each<[Family, object, RegExp[]]>([
    ['antt-violation.ticket', { payment_method: 'bank_slip', ...unpaid }, [/^issued without barcode/]],
    ['charge.payment-slip', { barcode: null }, [/^issued without barcode/]],
    ['traffic-violation.ticket', { barcode: '', pix: '', payment_method: null }, [/^issued without barcode/]],
    ['antt-violation.ticket', { payment_method: 'pix', pix: null }, [/^issued for PIX without its code$/]],
    ['antt-violation.ticket', { payment_method: 'bank_slip', pix: '000201' }, [/^a PIX code with another/]],
    ['antt-violation.ticket', { payment_method: 'bank_slip', pix: null }, []],
    ['traffic-violation.ticket', { payment_method: 'pix', barcode: null, pix: '000201' }, []],
  ])('may be the codes of an issued %s: %o is told as %o', (family, data, anomalies) => {
    const event = slip(family);
    spec
      .given([event('requested')])
      .when(event('issued', data))
      .thenAnomalies(...anomalies);
  });
});

describe('the effects of slips', () => {
  let called: unknown[] = [];
  beforeEach(() => {
    called = [];
  });
  const all = paymentSlip({
    onPending: ({ before, after }) => called.push([before.status, after.status]),
    onRequested: ({ before, after }) => called.push([before.status, after.status]),
    onIssued: ({ barcode, pix, late }) => called.push({ barcode, pix, late }),
    onRejected: ({ reason, event }) => called.push({ reason, kind: event.kind }),
    onFailed: ({ reason }) => called.push({ reason }),
  });

  async function run(
    given: ReturnType<ReturnType<typeof slip>>[],
    when: ReturnType<ReturnType<typeof slip>>,
  ): Promise<unknown[]> {
    await machineSpecification(all).given(given).when(when).runEffects();
    return called;
  }

  it('run for every status', async () => {
    const event = slip();
    const pending = event('pending');
    await run([], pending);
    expect(await run([pending], event('requested'))).toEqual([
      ['none', 'pending'],
      ['pending', 'requested'],
    ]);
  });

  it.each<[Family, object, object]>([
    [
      'antt-violation.ticket',
      { barcode: '001', pix: '000201', payment_method: 'pix' },
      { barcode: '001', pix: '000201' },
    ],
    ['traffic-violation.ticket', { barcode: '002', pix: null }, { barcode: '002', pix: null }],
    ['charge.payment-slip', { barcode: '003' }, { barcode: '003', pix: null }],
  ])('receive the codes that pay a slip of %s', async (family, data, codes) => {
    const event = slip(family);
    expect(await run([event('requested')], event('issued', data))).toEqual([{ ...codes, late: false }]);
  });

  it('receive the reason, where the family has one', async () => {
    const antt = slip('antt-violation.ticket');
    const charge = slip('charge.payment-slip');
    const traffic = slip('traffic-violation.ticket');
    await run([antt('requested')], antt('rejected', { status_reason: 'in debt' }));
    await run([charge('requested')], charge('failed', { status_reason: 'no connection' }));
    await run([traffic('requested')], traffic('rejected'));
    await run([antt('pending')], antt('failed', { status_reason: null }));
    expect(called).toEqual([
      { reason: 'in debt', kind: 'antt-violation.ticket.updated' },
      { reason: 'no connection' },
      { reason: null, kind: 'traffic-violation.ticket.updated' },
      { reason: null },
    ]);
  });

  it('do not run again when another field changes', async () => {
    const event = slip();
    expect(await run([event('issued')], event('issued', { amount: 90 }))).toEqual([]);
  });

  it('run late when a newer event was already folded', async () => {
    const event = slip();
    const [pending, issued, failed] = [
      event('pending'),
      event('issued', { barcode: '1', pix: null, payment_method: null }),
      event('failed'),
    ];
    expect(await run([pending, failed], issued)).toEqual([{ barcode: '1', pix: null, late: true }]);
  });

  it('leave no payment code in the state', () => {
    const event = slip();
    spec
      .given([event('requested')])
      .when(event('issued'))
      .then(({ state }) => {
        expect(state).toEqual({ status: 'issued' });
      });
  });

  it('are none by default', () => {
    expect(slipMachine.effects).toEqual([]);
  });
});
