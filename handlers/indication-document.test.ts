import { machineSpecification, testEvent } from 'portaria/testing';
import { describe, expect, it } from 'vitest';
import indicationMachine, { indicationDocument } from './indication-document.ts';
import { statusTable } from './indication-document/table.ts';

const statuses = [
  'pending',
  'review',
  'accepted',
  'filed',
  'expired',
  'rejected',
  'failed',
  'voided',
  'canceled',
] as const;
type Status = (typeof statuses)[number];

/** Events of one indication, a second apart in the order they are made. */
function indication() {
  let second = 0;
  return (
    status: Status,
    document: string | null,
    data: object = {},
    action: 'created' | 'updated' = 'updated',
  ) => {
    const updated_at = new Date(Date.UTC(2026, 10, 11, 14, 0, (second += 1))).toISOString();
    const document_signed_at = document === 'signed' ? '2026-11-11T14:00:00Z' : null;
    const fields = {
      id: 7,
      status,
      document_status: document,
      document_signed_at,
      status_reason: null,
      updated_at,
      ...data,
    };
    return testEvent(`traffic-violation.indication.${action}`, { data: fields });
  };
}

const spec = machineSpecification(indicationMachine);
const observed = { external: true };

describe('an indication by document', () => {
  it('is created pending, as its document is', () => {
    spec
      .given([])
      .when(indication()('pending', 'pending', {}, 'created'))
      .then({ status: 'pending', document: 'pending', external: false })
      .thenAnomalies();
  });

  it('is in review once all have signed', () => {
    const event = indication();
    spec
      .given([event('pending', 'pending', {}, 'created')])
      .when(event('review', 'signed'))
      .then({ status: 'review', document: 'signed', external: false })
      .thenAnomalies();
  });

  it('stays pending when the document is refused', () => {
    const event = indication();
    spec
      .given([event('pending', 'pending', {}, 'created')])
      .when(event('pending', 'refused', { status_reason: 'not me' }))
      .then({ status: 'pending', document: 'refused', external: false })
      .thenAnomalies();
  });

  it('expires after its document, or with it', () => {
    const event = indication();
    const created = event('pending', 'pending', {}, 'created');
    const expired = event('pending', 'expired');
    spec
      .given([created])
      .when(expired)
      .then({ status: 'pending', document: 'expired', external: false })
      .thenAnomalies();
    spec.given([created, expired]).when(event('expired', 'expired')).thenAnomalies();
    spec.given([created]).when(event('expired', 'expired')).thenAnomalies();
  });

  it('is canceled together with an unsigned document', () => {
    const event = indication();
    const created = event('pending', 'pending', {}, 'created');
    spec.given([created]).when(event('canceled', 'canceled')).thenAnomalies();
    spec.given([created]).when(event('canceled', 'pending')).thenAnomalies();
  });

  it('keeps what an event leaves out', () => {
    const event = indication();
    const given = [event('review', 'signed', observed)];
    spec
      .given(given)
      .when(event('filed', null, { document_signed_at: '2026-11-11T14:00:00Z', external: undefined }))
      .then(({ state }) => {
        expect(state).toMatchObject({ status: 'filed', document: 'signed' });
      });
  });

  it('ends the same in another order', () => {
    const event = indication();
    const [created, signed, filed] = [
      event('pending', 'pending', {}, 'created'),
      event('review', 'signed'),
      event('filed', 'signed'),
    ];
    const end = { status: 'filed', document: 'signed', external: false };
    spec.given([filed, created]).when(signed).then(end).thenAnomalies();
    spec.given([signed, filed]).when(created).then(end).thenAnomalies();
  });
});

describe('an automated indication', () => {
  it('has no document', () => {
    const event = indication();
    const created = event('pending', null, { flow: 'automated' }, 'created');
    spec
      .given([created])
      .when(event('accepted', null))
      .then({ status: 'accepted', document: 'none', external: false })
      .thenAnomalies();
  });
});

describe('an anomaly of an indication', () => {
  const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  it.each(moves)('is a move that is not likely: %s to %s', (from, to) => {
    const event = indication();
    // External, so that only the move itself is looked at.
    const given = [event(from, null, observed)];
    const fine = from === to || statusTable.transitions.some((move) => move.from === from && move.on === to);
    spec
      .given(given)
      .when(event(to, null, observed))
      .then({ status: to, document: 'none', external: true })
      .thenAnomalies(...(fine ? [] : [new RegExp(`^${from} became ${to}$`)]));
  });

  it('is above all a cancellation of what is not pending', () => {
    const event = indication();
    spec
      .given([event('review', 'signed')])
      .when(event('canceled', 'signed'))
      .thenAnomalies(/^review became canceled$/);
  });

  const event = indication();
  const pending = event('pending', 'pending', {}, 'created');
  const signed = event('review', 'signed');
  const refused = event('pending', 'refused', { status_reason: 'not me' });
  const expired = event('pending', 'expired');
  it.each([
    [
      'a start elsewhere',
      [],
      event('filed', 'signed', {}, 'created'),
      [/^created as filed, instead of pending$/],
    ],
    ['a second start', [pending], event('pending', 'pending', {}, 'created'), [/^created again$/]],
    [
      'a signature undone',
      [pending, signed],
      event('review', 'pending'),
      [/signed and became pending$/, /^in review without/],
    ],
    ['a refusal undone', [pending, refused], event('review', 'signed'), [/refused and became signed$/]],
    ['an expiry undone', [pending, expired], event('pending', 'pending'), [/expired and became pending$/]],
    [
      'signed without a time',
      [pending],
      event('review', 'signed', { document_signed_at: null }),
      [/signed, without document_signed_at$/],
    ],
    [
      'signed and still pending',
      [pending],
      event('pending', 'signed'),
      [/^the document is signed, but the indication still pending$/],
    ],
    [
      'a time of signature too early',
      [pending],
      event('pending', 'pending', { document_signed_at: '2026-11-11T14:00:00Z' }),
      [/^document_signed_at on a document that is pending$/],
    ],
    [
      'review without a signature',
      [pending],
      event('review', 'pending'),
      [/^in review without a signed document$/],
    ],
    [
      'refused, and not pending',
      [pending],
      event('failed', 'refused', { status_reason: 'x' }),
      [/refused, but the indication is failed$/],
    ],
    ['refused without a reason', [pending], event('pending', 'refused'), [/refused without a reason$/]],
    [
      'refused with an empty reason',
      [pending],
      event('pending', 'refused', { status_reason: '' }),
      [/refused without a reason$/],
    ],
  ])('is %s', (_, given, when, anomalies) => {
    spec
      .given(given)
      .when(when)
      .thenAnomalies(...anomalies);
  });

  it('is none when the indication is older than the receiver', () => {
    spec.given([]).when(indication()('filed', 'signed')).thenAnomalies();
  });

  it('is none when an external one was made elsewhere, in any state', () => {
    spec
      .given([])
      .when(indication()('review', null, observed, 'created'))
      .thenAnomalies();
  });
});

describe('the effects of indications', () => {
  const called: string[] = [];
  const names = [
    'Signed',
    'Refused',
    'DocumentExpired',
    'Pending',
    'Review',
    'Accepted',
    'Filed',
    'Expired',
    'Rejected',
  ];
  names.push('Failed', 'Voided', 'Canceled');
  const all = indicationDocument(
    Object.fromEntries(
      names.map((name) => [
        `on${name}`,
        ({ event }: { event: { data: { status_reason?: unknown } } }) =>
          called.push(`${name} ${String(event.data.status_reason)}`),
      ]),
    ),
  );
  const effects = machineSpecification(all);

  it('are one for each outcome', () => {
    const event = indication();
    const created = event('pending', 'pending', {}, 'created');
    effects.given([]).when(created).thenEffects('onPending');
    effects.given([created]).when(event('review', 'signed')).thenEffects('onSigned', 'onReview');
    effects.given([created]).when(event('pending', 'refused')).thenEffects('onRefused');
    effects.given([created]).when(event('pending', 'expired')).thenEffects('onDocumentExpired');
    effects.given([created]).when(event('expired', 'expired')).thenEffects('onDocumentExpired', 'onExpired');
    for (const status of ['accepted', 'filed', 'rejected', 'failed', 'voided', 'canceled'] as const) {
      const effect = `on${status.charAt(0).toUpperCase()}${status.slice(1)}`;
      effects.given([created]).when(event(status, 'pending')).thenEffects(effect);
    }
  });

  it('do not run again when something else changes', () => {
    const event = indication();
    effects
      .given([event('review', 'signed')])
      .when(event('review', 'signed', { name: 'Other' }))
      .thenEffects();
  });

  it('are none for what is only observed', () => {
    const event = indication();
    effects
      .given([])
      .when(event('pending', 'pending', observed, 'created'))
      .thenEffects();
    effects
      .given([event('pending', 'pending', observed)])
      .when(event('review', 'signed', observed))
      .thenEffects();
  });

  it('find the reason in the event, and the state keeps it not', async () => {
    const event = indication();
    const given = effects.given([event('pending', 'pending', {}, 'created')]);
    const outcome = given.when(event('pending', 'refused', { status_reason: 'not me' }));
    outcome.then({ status: 'pending', document: 'refused', external: false });
    await outcome.runEffects();
    expect(called).toEqual(['Refused not me']);
  });
});
