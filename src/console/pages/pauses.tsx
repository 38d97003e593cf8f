/** The forms that pause and resume, and the pauses that pages show. */
import type { ShownPause } from '../components/pauses.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { pauseDetails, resumeDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { ownAddress } from '../../pages/own-address.ts';
import { parseSubjectName } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { parsePeriod } from '../../kernel/time/durations.ts';
import { pauseDispatch, resumeDispatch } from '../../operate/change/pause-dispatch.ts';
import type { Pause } from '../../store/pauses.ts';
import { pauseView } from '../../view/pause-view.ts';

/** Waiting deliveries that are counted for a pause. */
const MAX_COUNTED = 10_000;

/** Pauses whose waiting deliveries are counted: a thousand lanes may be paused. */
const MAX_SHOWN = 100;

/** Adds what the forms on several pages do: pause and resume. */
export function addPauseActions(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, clock } = deps;
  const wake = (): void => {
    dispatcher.wake();
  };
  addForm(app, '/handlers/pause', { action: 'pauseDispatch' }, async (c) => {
    const fields = c.get('fields');
    const given = (name: string): string | null => fields.get(name)?.trim() || null;
    const [subjectName, period] = [given('subject'), given('until')];
    const subject = subjectName === null ? null : parseSubjectName(subjectName);
    if (subject === undefined) throw new PortariaError('invalid-argument', { code: 'subject-name' });
    const ms = period === null ? null : parsePeriod(period);
    if (ms === undefined) throw new PortariaError('invalid-argument', 'Write the end as 90m, 2h or 3d');
    const paused = await pauseDispatch(store, {
      scope: { handler: given('handler'), source: given('source'), subject },
      reason: given('reason') ?? '',
      by: c.get('visitor').name,
      until: ms === null ? null : clock.now() + ms,
      ...{ registry, clock, wake },
    });
    addDetails(c, pauseDetails(paused));
    return c.redirect(ownAddress(fields.get('back')), 303);
  });

  addForm(app, '/handlers/resume', { action: 'resumeDispatch' }, async (c) => {
    const fields = c.get('fields');
    const resumed = await resumeDispatch(store, { ids: fields.getAll('pause') }, wake);
    addDetails(c, resumeDetails(resumed));
    return c.redirect(ownAddress(fields.get('back')), 303);
  });
}

/** Returns the first pauses with the deliveries that wait for them: those of whole handlers and sources first. */
export async function shownPauses(
  store: Pick<PagesDeps['store'], 'pausedDeliveries'>,
  pauses: readonly Pause[],
): Promise<readonly ShownPause[]> {
  const widestFirst = pauses.toSorted(
    (one, other) => Number(one.subject !== null) - Number(other.subject !== null),
  );
  return Promise.all(
    widestFirst.slice(0, MAX_SHOWN).map(async (pause) => ({
      pause: pauseView(pause),
      waiting: await store.pausedDeliveries(pause, MAX_COUNTED),
    })),
  );
}
