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
    [[/^created as filed, instead of pending$/], [], event('filed', 'signed', {}, 'created')],
    [[/^created again$/], [pending], event('pending', 'pending', {}, 'created')],
    [[/signed and became pending$/, /^in review without/], [pending, signed], event('review', 'pending')],
    [[/refused and became signed$/], [pending, refused], event('review', 'signed')],
    [[/expired and became pending$/], [pending, expired], event('pending', 'pending')],
    [
      [/signed, without document_signed_at$/],
      [pending],
      event('review', 'signed', { document_signed_at: null }),
    ],
    [
      [/^the document is signed, but the indication is still pending$/],
      [pending],
      event('pending', 'signed'),
    ],
    [
      [/^document_signed_at on a document that is pending$/],
      [pending],
      event('pending', 'pending', { document_signed_at: '2026-11-11T14:00:00Z' }),
    ],
    [[/^in review without a signed document$/], [pending], event('review', 'pending')],
    [
      [/refused, but the indication is failed$/],
      [pending],
      event('failed', 'refused', { status_reason: 'x' }),
    ],
    [[/refused without a reason$/], [pending], event('pending', 'refused')],
    [[/refused without a reason$/], [pending], event('pending', 'refused', { status_reason: '' })],
  ])('is told as %o', (anomalies, given, when) => {
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
