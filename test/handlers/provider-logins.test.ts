/** Logins of the stand-in of the provider, whose events share instants, as the receiver orders and folds them. */
import { machineSpecification } from 'portaria/testing';
import { describe, expect, test } from 'vitest';
import loginMachine from '../../handlers/login-attempt.ts';
import { failLogin, startLogin } from '../../provider/login/change-login.ts';
import { succeedLoginNow } from '../../provider/login/drive-login.ts';
import { company, user } from '../../provider/test/kit/people.ts';
import { openTestProvider } from '../../provider/test/kit/test-provider.ts';
import type { Change } from '../../provider/change.ts';
import type { EventKind } from '../../src/contract/catalogue.ts';
import { versionOf } from '../../src/identify/identify.ts';
import { specification } from '../../src/contract/specification.ts';
import { testEvent } from '../../src/testing/test-event.ts';
import { parsedEvent } from '../support/verified-delivery.ts';

describe.each(['company', 'user'] as const)('a login of a %s', (kind) => {
  /** The events of a login after these changes, each of them at one instant. */
  async function eventsOf(
    ...moves: readonly ((change: Change, owner: { kind: typeof kind; id: number }) => Promise<void>)[]
  ) {
    const { ours, provider, clock } = await openTestProvider();
    const path = kind === 'company' ? '/v1/companies' : '/v1/users';
    const { data } = await ours.post(path, kind === 'company' ? company : user);
    const owner = { kind, id: Number(data['id']) };
    for (const move of moves) {
      clock.advance(1_000);
      await provider.change(ours.organization, (change) => move(change, owner));
    }
    return (await ours.webhooks()).filter(({ type }) => type.includes('.login.'));
  }

  const fail = (change: Change, owner: { kind: typeof kind; id: number }) =>
    failLogin(change, owner, 'Portal fora do ar');

  test.each([
    ['that starts and succeeds while connected', [succeedLoginNow, succeedLoginNow]],
    ['that fails before its first step, and starts again', [succeedLoginNow, startLogin, fail, startLogin]],
  ])('%s never makes an event stale, and is no anomaly', async (_, moves) => {
    const events = await eventsOf(...moves);

    const versions = events.map(
      (event) => versionOf(parsedEvent(JSON.stringify(event)), specification) ?? '',
    );
    expect(versions).toEqual([...versions].sort());
    const typed = events.map(({ type, data }) => testEvent(type as EventKind, { data: data as object }));
    for (const [at, event] of typed.entries())
      machineSpecification(loginMachine).given(typed.slice(0, at)).when(event).thenAnomalies();
  });
});
