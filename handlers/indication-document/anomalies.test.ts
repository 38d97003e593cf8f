import { machineSpecification } from 'portaria/testing';
import { describe, it } from 'vitest';
import { indication, statuses } from '../../test/support/webhooks/indication-events.ts';
import indicationMachine from '../indication-document.ts';

const spec = machineSpecification(indicationMachine);
const observed = { external: true };

describe('an anomaly of an indication', () => {
  const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  it.each(moves)('is an unexpected move: %s to %s', (from, to) => {
    const event = indication();
    // External, so that only the move itself is checked.
    const given = [event(from, null, observed)];
    const expected =
      from === to ||
      indicationMachine.table?.transitions.some((move) => move.from === from && move.on === to);
    spec
      .given(given)
      .when(event(to, null, observed))
      .then({ status: to, document: 'none', external: true })
      .thenAnomalies(...(expected ? [] : [new RegExp(`^${from} became ${to}$`)]));
  });

  it('is a cancellation of an indication that is not pending', () => {
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
      'a creation with another status',
      [],
      event('filed', 'signed', {}, 'created'),
      [/^created as filed, instead of pending$/],
    ],
    ['a second creation', [pending], event('pending', 'pending', {}, 'created'), [/^created again$/]],
    [
      'a withdrawn signature',
      [pending, signed],
      event('review', 'pending'),
      [/signed and became pending$/, /^in review without/],
    ],
    ['a withdrawn refusal', [pending, refused], event('review', 'signed'), [/refused and became signed$/]],
    ['a withdrawn expiry', [pending, expired], event('pending', 'pending'), [/expired and became pending$/]],
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
      [/^the document is signed, but the indication is still pending$/],
    ],
    [
      'a time of signature without a signature',
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

  it('is not a first event of an indication older than the receiver', () => {
    spec.given([]).when(indication()('filed', 'signed')).thenAnomalies();
  });

  it('is not the creation of an external indication with any status', () => {
    spec
      .given([])
      .when(indication()('review', null, observed, 'created'))
      .thenAnomalies();
  });
});
