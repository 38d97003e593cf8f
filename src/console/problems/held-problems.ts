/** Webhooks that did not become events: those of the quarantine, and those to a wrong path. */
import { isNoAddress } from '../../attention/rejections.ts';
import { isUnreadable } from '../../event/delivery.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import { heldOfProblem } from '../../operate/show/held-webhooks.ts';
import type { RejectionCount } from '../../store/monitoring.ts';
import { instantText } from '../../view/instant-text.ts';
import { problemGroupView } from '../../view/failure-view.ts';
import { problemAddress } from '../components/event-cells.tsx';
import { openAddress } from '../components/form-fields.tsx';
import { goesOn } from '../goes-on.ts';
import { problem, cut, seenOf, type Problem, type Findings, type Looked } from './problem.ts';

/** Webhooks to a path that does not exist that no scanner sends, within two hours. */
const MIN_MISTYPED = 10;
/** Such paths that are named. */
const MAX_PATHS = 2;
/** Problems of the quarantine that are named one by one. */
const MAX_HELD = 3;

/** A sentence for each problem of the quarantine, those that came last first; none where all came later in a valid form. */
export async function heldProblems({ page, store }: Looked): Promise<readonly Problem[]> {
  const { words, now, contract } = page;
  const groups = await store.problemGroups();
  const named = groups.toSorted((one, other) => other.lastAt - one.lastAt).slice(0, MAX_HELD);
  const sentences = named.map(async (group): Promise<readonly Problem[]> => {
    const { reason, kind, path, message, problem: of } = problemGroupView(group);
    const held = await heldOfProblem({ store, contract }, of);
    const later = held.filter(({ isAcceptedLater }) => isAcceptedLater).length;
    if (later === group.entries) return [];
    const href = isUnreadable(message) ? openAddress(problemAddress(of), 'report') : problemAddress(of);
    const { entries: count, subjects } = group;
    const sentence = words.problems.held({ reason, kind, count, subjects });
    const isOn = goesOn({ ...group, times: group.entries + group.repeats }, now);
    const notes = [
      seenOf(page, { ...group, isOn }),
      later > 0 && words.quarantine.acceptedLater(later, held.length),
      isUnreadable(message) && words.problems.askSender,
    ];
    return [
      {
        ...problem('warn', sentence, href),
        note: notes.filter(Boolean).join(' '),
        quoted: cut(path === '' ? message : `${path}: ${message}`),
        ...(isUnreadable(message) && { action: words.quarantine.report }),
      },
    ];
  });
  const all = (await Promise.all(sentences)).flat();
  const more = problem('warn', words.problems.heldMore, '/quarantine');
  return groups.length === named.length ? all : [...all, more];
}

/** Paths that do not exist and got more webhooks in this hour and the one before than a scanner sends, the most first. */
export function mistypedPaths(rejections: readonly RejectionCount[], now: number) {
  const recent = rejections.filter(
    (each) => isNoAddress(each.lastReason) && each.hour >= Math.floor(now / HOUR_MS) - 1,
  );
  return [...Map.groupBy(recent, ({ source }) => source)]
    .map(([path, counts]) => ({
      path,
      count: counts.reduce((sum, each) => sum + each.rejections, 0),
      hour: Math.max(...counts.map(({ hour }) => hour)),
    }))
    .filter(({ count }) => count >= MIN_MISTYPED)
    .toSorted((one, other) => other.count - one.count);
}

export function mistyped({ page: { words, now, format }, rejections }: Findings): readonly Problem[] {
  const at = (hour: number) => format.relative(instantText(hour * HOUR_MS), now);
  return mistypedPaths(rejections, now)
    .slice(0, MAX_PATHS)
    .map(({ path, count, hour }) => ({
      ...problem('warn', words.problems.mistyped(path, count), openAddress('/senders', 'report')),
      note: `${words.problems.askSender} ${words.problems.mistypedUntil(at(hour), at(hour + 2))}`,
      action: words.quarantine.report,
    }));
}
