/** The forms that pause and resume, the page that says what a resume starts, and the pauses that pages show. */
import type { FC } from 'hono/jsx';
import { handlerAddress, HandlerLink, SubjectLink } from '../components/event-cells.tsx';
import { Facts, type Fact } from '../components/facts.tsx';
import {
  pauseAddress,
  pauseSentence,
  readOf,
  ResumeForm,
  triedOf,
  type ShownPause,
} from '../components/pauses.tsx';
import { Notice } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { pauseDetails, resumeDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { Frame } from '../frame.tsx';
import type { Page } from '../page.ts';
import { ForOperators } from '../components/form-fields.tsx';
import { planAddress } from '../plan-address.ts';
import { ownAddress } from '../../pages/own-address.ts';
import { parseSubjectName, subjectName } from '../../event/subject.ts';
import { effectsName } from '../../handle/define/machine.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { parsePeriod } from '../../kernel/time/durations.ts';
import { pauseDispatch, resumeDispatch } from '../../operate/change/pause-dispatch.ts';
import { createPauseLookup, type Pause } from '../../store/pauses.ts';
import type { FailureGroup } from '../../store/plans.ts';
import type { DeliveryRecord } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import { shortError } from '../../view/payload/unmasking.ts';
import { pauseView } from '../../view/pause-view.ts';

/** Waiting deliveries that are counted for a pause, and those that are read to say what a resume starts. */
const MAX_COUNTED = 10_000;
const MAX_READ = 1_000;

/** Subjects that are named. */
const MAX_NAMED = 5;

/** Pauses whose waiting deliveries are counted: a thousand lanes may be paused. */
const MAX_SHOWN = 100;

/** Adds what the forms on several pages do, pause and resume, and the page of a resume before it happens. */
export function addPausePages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, clock, pageOf } = deps;
  const wake = (): void => {
    dispatcher.wake();
  };
  app.get('/handlers/pauses/:id', async (c) => {
    const id = c.req.param('id');
    const pause = (await store.pauses()).find((each) => each.id === id);
    if (pause === undefined) throw new PortariaError('not-found', `There is no pause ${id}, or it has ended`);
    return c.html(<ResumePage {...await readResume(deps, await pageOf(c), pause)} />);
  });

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
    const [id] = fields.getAll('pause');
    const changed = (await store.pauses()).find((pause) => pause.id === id);
    if (changed !== undefined && fields.get('read') !== readOf(pauseView(changed)))
      return c.redirect(pauseAddress(pauseView(changed)), 303);
    const resumed = await resumeDispatch(store, { ids: fields.getAll('pause') }, wake);
    addDetails(c, resumeDetails(resumed));
    const back = new URL(ownAddress(fields.get('back')), c.req.url);
    back.searchParams.set('resumed', 'true');
    return c.redirect(back.pathname + back.search + back.hash, 303);
  });
}

/** Returns the first pauses with the deliveries that wait for them: those of whole handlers and sources first. */
export async function shownPauses(
  store: Pick<PagesDeps['store'], 'pausedDeliveries'>,
  pauses: readonly Pause[],
  groups: readonly FailureGroup[],
): Promise<readonly ShownPause[]> {
  const widestFirst = pauses.toSorted(
    (one, other) => Number(one.subject !== null) - Number(other.subject !== null),
  );
  return Promise.all(
    widestFirst
      .slice(0, MAX_SHOWN)
      .map(async (pause) => ({ ...(await shownPause(store, pause)), tried: triedOf(pause, groups) })),
  );
}

async function shownPause(
  store: Pick<PagesDeps['store'], 'pausedDeliveries'>,
  pause: Pause,
): Promise<Omit<ShownPause, 'tried'>> {
  return { pause: pauseView(pause), waiting: await store.pausedDeliveries(pause, MAX_COUNTED) };
}

/** Reads what a resume would start, and how fast. */
async function readResume({ store, registry, dispatcher }: PagesDeps, page: Page, pause: Pause) {
  const { handler, source, subject, deadLetter } = pause;
  const shown = await shownPause(store, pause);
  // A search for more than were counted would read the whole backlog.
  const limits = { order: 'oldest', limit: Math.min(shown.waiting.deliveries, MAX_READ) } as const;
  const filter = { status: 'pending', ...(source && { source }), ...(subject && { subject }) } as const;
  const scopes = handler === null ? [{}] : [handler, effectsName(handler)].map((name) => ({ handler: name }));
  const read: DeliveryRecord[] = [];
  for (const scope of limits.limit === 0 ? [] : scopes)
    read.push(...(await store.deliveries({ ...filter, ...scope }, limits)));
  const one = { order: 'oldest', limit: 1 } as const;
  const [oldest] = await store.events({ ids: read.slice(0, 1).map(({ eventId }) => eventId) }, one);
  const [failed] = deadLetter === null ? [] : await store.deliveries({ ids: [deadLetter] }, one);
  const others = createPauseLookup((await store.pauses()).filter(({ id }) => id !== pause.id));
  const open = new Set(dispatcher.status().openBreakers.map((breaker) => breaker.handler));
  const starting = read.filter((each) => others.of(each) === undefined && !open.has(each.handler));
  return {
    ...{ page, ...shown, oldest, failed },
    /** Those that have failed before. */
    tried: starting.filter(({ attempts }) => attempts > 0).length,
    subjects: [...new Set(starting.map((each) => subjectName(each.subject)))],
    /** Whether more wait than were read. */
    isPart: shown.waiting.more || shown.waiting.deliveries > read.length,
    /** Those that another pause or an open breaker keeps. */
    kept: read.length - starting.length,
    handlers: [...new Set(read.map((each) => each.handler))].map((name) => ({
      name,
      rate: registry.rate(name),
    })),
  };
}

/** Says what a resume starts, and how fast, before it happens. */
const ResumePage: FC<Awaited<ReturnType<typeof readResume>>> = (resume) => {
  const { page, pause, waiting, oldest, failed, subjects, isPart, kept, handlers, tried } = resume;
  const { words: all } = page;
  const words = all.pauses;
  const title = failed === undefined ? words.resumes : words.passes;
  const home = pause.handler === null ? '/handlers#pauses' : handlerAddress(pause.handler);
  return (
    <Frame page={page} current="handlers" title={title} refresh={0}>
      <h1>{title}</h1>
      <p class="lead">{pauseSentence(page, pause, waiting.deliveries)}</p>
      {failed !== undefined && (
        <Notice tone="warn">
          {words.stays(failed.id)} <a href={`/events/${failed.eventId}`}>{failed.kind}</a>:{' '}
          {shortError(failed.lastError ?? '')}
        </Notice>
      )}
      <Facts
        facts={[
          [
            words.starts,
            waiting.deliveries === 0
              ? words.startsNothing
              : words.startsOf(waiting.deliveries - kept, subjects.length, isPart),
          ],
          kept > 0 && [words.stay, words.kept(kept)],
          oldest !== undefined && [words.oldest, <Time iso={instantText(oldest.receivedAt)} as="relative" />],
          subjects.length > 0 && [
            words.first,
            subjects.slice(0, MAX_NAMED).map((subject) => (
              <>
                <SubjectLink subject={subject} />{' '}
              </>
            )),
          ],
          ...handlers.map(({ name, rate }): Fact => [
            <HandlerLink name={name} />,
            rate === undefined ? all.handlers.noRate : all.handlers.rateOf(rate),
          ]),
        ]}
      />
      {tried > 0 && <Notice tone="warn">{words.triedAgain(tried)}</Notice>}
      {failed === undefined && <p class="soft">{words.keeps}</p>}
      <ForOperators>
        <div class="actions">
          {failed !== undefined &&
            (['retry', 'discard'] as const).map((action) => (
              <a
                class={action === 'retry' ? 'button primary' : 'button'}
                href={planAddress(action, { ids: failed.id })}
              >
                {words[action](failed.id)}
              </a>
            ))}
          <ResumeForm
            pause={pause}
            back={home}
            label={failed === undefined ? words.resume : words.pass}
            isSecond={failed !== undefined}
          />
          <a class="button" href={home}>
            {all.plans.back}
          </a>
        </div>
      </ForOperators>
    </Frame>
  );
};
