import { machineSpecification } from 'portaria/testing';
import { describe, expect, it } from 'vitest';
import { indication } from '../test/support/webhooks/indication-events.ts';
import indicationMachine, { indicationDocument } from './indication-document.ts';

const spec = machineSpecification(indicationMachine);
const observed = { external: true };

describe('an indication by document', () => {
  it('is created pending, like its document', () => {
    spec
      .given([])
      .when(indication()('pending', 'pending', {}, 'created'))
      .then({ status: 'pending', document: 'pending', external: false })
      .thenAnomalies();
  });

  it('is in review once every signer has signed', () => {
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

  it('keeps the fields that an event omits', () => {
    const event = indication();
    const given = [event('review', 'signed', observed)];
    spec
      .given(given)
      .when(event('filed', null, { document_signed_at: '2026-11-11T14:00:00Z', external: undefined }))
      .then(({ state }) => {
        expect(state).toMatchObject({ status: 'filed', document: 'signed' });
      });
  });

  it('ends in the same state for another order of arrival', () => {
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

  it('run for the status in their name', () => {
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

  it('do not run again when another field changes', () => {
    const event = indication();
    effects
      .given([event('review', 'signed')])
      .when(event('review', 'signed', { name: 'Other' }))
      .thenEffects();
  });

  it('do not run for an external indication', () => {
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

  it('read the reason from the event, because the state does not keep it', async () => {
    const event = indication();
    const given = effects.given([event('pending', 'pending', {}, 'created')]);
    const outcome = given.when(event('pending', 'refused', { status_reason: 'not me' }));
    outcome.then({ status: 'pending', document: 'refused', external: false });
    await outcome.runEffects();
    expect(called).toEqual(['Refused not me']);
  });
});
