/** The pages that stand in for a plan: what is wrong, why nothing started, and the reason that it needs. */
import type { FC } from 'hono/jsx';
import { jobActionSchema } from '../../view/job-view.ts';
import type { JobAction } from '../../store/jobs.ts';
import { ownAddress } from '../../pages/own-address.ts';
import { Notice } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import { ComposeReplay } from '../components/compose-replay.tsx';
import { Refused, type Wrong } from '../components/foreign-text.tsx';
import { Hidden, ReasonField } from '../components/form-fields.tsx';
import type { FieldProblems } from '../list-filter.ts';
import { Frame, type PageName } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';

/** The parameter with the address that the visitor came from. */
export const BACK = 'back';

/** The entry of the navigation that an action belongs to. */
const homes: Readonly<Record<JobAction, PageName>> = {
  retry: 'failures',
  discard: 'failures',
  release: 'quarantine',
  replay: 'jobs',
  repair: 'jobs',
};

/** The entry of the navigation that the visitor came from, else that of the action. */
export function cameFrom({ url, words }: Page, action: JobAction): PageName {
  const [, name = ''] = (url.searchParams.get(BACK) ?? '').split(/[/?]/u);
  return name in words.frame.names ? (name as PageName) : homes[action];
}

/** Why there is no plan, or why its start changed nothing, with a way to the plan of now and a way back. */
export const RefusedPage: FC<{
  readonly page: Page;
  readonly problem: Wrong;
  /** When the plan expired, by the form that was to start it. */
  readonly expired?: string | null;
}> = ({ page, problem, expired }) => {
  const { plans: words, errors } = page.words;
  const action = jobActionSchema.safeParse(page.url.searchParams.get('action')).data;
  const isOld = problem.refusal?.code === 'old-plan' && Number.isFinite(Date.parse(expired ?? ''));
  return (
    <Frame page={page} current={cameFrom(page, action ?? 'replay')} title={errors.failed} refresh={0}>
      <h1>{errors.failed}</h1>
      <Notice tone={expired === undefined ? 'bad' : 'warn'}>
        {isOld && action !== undefined ? (
          <>
            {words.expired(action)} <Time iso={expired ?? null} />.
          </>
        ) : (
          <Refused wrong={problem} />
        )}
      </Notice>
      <p class="actions">
        {expired !== undefined && action !== undefined && (
          <a class="button primary" href={`/plan${page.url.search}`}>
            {words.showAgain(action === 'discard')}
          </a>
        )}
        <Back label={page.words.erasures.back} action={action ?? 'replay'} />
      </p>
    </Frame>
  );
};

/** The form of a replay as it was filled in, with what is wrong beside the fields. */
export const ReplayPage: FC<{
  readonly page: Page;
  readonly handlers: readonly string[];
  /** What is wrong beyond the fields. */
  readonly problem: Wrong | null;
  readonly problems: FieldProblems;
}> = ({ page, handlers, problem, problems }) => {
  const { title, lead } = page.words.compose;
  return (
    <Frame page={page} current="jobs" title={title} refresh={0}>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
      {problem !== null && (
        <Notice tone="bad">
          <Refused wrong={problem} />
        </Notice>
      )}
      <div class="compose">
        <ComposeReplay handlers={handlers} problems={problems} />
      </div>
    </Frame>
  );
};

/** What cannot be undone asks for a reason first. */
export const ReasonPage: FC<{ readonly page: Page; readonly items: number }> = ({ page, items }) => {
  const words = page.words.plans;
  const title = words.reason(items);
  const given = [...page.url.searchParams].filter(([name]) => name !== 'reason');
  return (
    <Frame page={page} current={cameFrom(page, 'discard')} title={title} refresh={0}>
      <h1>{title}</h1>
      <form action="/plan" class="stack plan">
        <Hidden fields={given} />
        <ReasonField label={words.reasonWhy} />
        <div class="actions">
          <button class="primary">{words.toPlan}</button>
          <Back label={words.back} action="discard" />
        </div>
      </form>
    </Frame>
  );
};

/** The way back to where the visitor came from. */
export const Back: FC<{ readonly label: string; readonly action: JobAction }> = ({ label, action }) => {
  const given = usePage().url.searchParams.get(BACK);
  return (
    <a class="button" href={given === null ? `/${homes[action]}` : ownAddress(given)}>
      {label}
    </a>
  );
};
