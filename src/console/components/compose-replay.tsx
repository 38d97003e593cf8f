/** The form of a replay. */
import type { FC } from 'hono/jsx';
import type { FieldProblems } from '../list-filter.ts';
import { usePage } from '../page.ts';
import { Choice, FieldProblem, TextFilter } from '../../pages/list.tsx';
import { statusChoices, TimeFields, TimeNote } from './filters.tsx';

/** Chooses the events and handlers of a replay; the answer is a plan. */
export const ComposeReplay: FC<{
  readonly handlers: readonly string[];
  /** What is wrong with the fields, which hold what the address does. */
  readonly problems?: FieldProblems;
}> = ({ handlers, problems = {} }) => {
  const { words, url } = usePage();
  const { compose } = words;
  const chosen = url.searchParams.getAll('handlers');
  return (
    <form action="/plan">
      <input type="hidden" name="action" value="replay" />
      <fieldset {...(problems['handlers'] !== undefined && { 'aria-describedby': 'problem-handlers' })}>
        <legend>{words.frame.names.handlers}</legend>
        {handlers.map((name) => (
          <label class="check">
            <input type="checkbox" name="handlers" value={name} checked={chosen.includes(name)} />{' '}
            <span class="mono">{name}</span>
          </label>
        ))}
        <FieldProblem name="handlers" problem={problems['handlers']} />
      </fieldset>
      <div class="filters">
        <TextFilter name="kind" label={words.columns.kind} hint={words.events.kindHint} />
        <TextFilter
          name="subject"
          label={words.columns.subject}
          hint={words.events.subjectHint}
          problem={problems['subject']}
        />
        <TextFilter name="source" label={words.columns.source} />
        <TimeFields problems={problems} />
        <Choice name="status" label={words.events.outcome} options={statusChoices(words)} />
      </div>
      <TimeNote />
      <fieldset>
        <legend>{compose.handled}</legend>
        {(['true', 'false'] as const).map((leaves) => (
          <label class="check">
            <input
              type="radio"
              name="if_not_succeeded"
              value={leaves}
              checked={(url.searchParams.get('if_not_succeeded') ?? 'true') === leaves}
            />{' '}
            <span>{leaves === 'true' ? compose.leaveHandled : compose.runHandled}</span>
          </label>
        ))}
      </fieldset>
      <div class="actions">
        <button class="primary">{words.plans.toPlan}</button>
      </div>
    </form>
  );
};
