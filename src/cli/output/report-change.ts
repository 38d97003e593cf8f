/** Says which rows a change was made to, and why others stay as they are. */
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Ids that one line of output names, at most. JSON has all of them. */
const MAX_IDS_SHOWN = 20;

/** What a change did. */
export interface ReportedChange<Status extends string> {
  /** As JSON prints it. */
  readonly result: {
    readonly left_alone: readonly {
      readonly id: string;
      readonly status: Status | null;
      readonly overtaken_by?: string | undefined;
    }[];
  };
  readonly changed: readonly string[];
  /** Such as `discarded` or `would be discarded`. */
  readonly done: string;
  /** Why a row with this status stays; null: there is no such row. A later event may have overtaken it. */
  readonly stays: (status: Status | null, overtakenBy: string | undefined) => string;
}

/** Prints what a change did, and sets the exit code: a part, nothing, or nothing because no such row exists. */
export async function reportChange<Status extends string>(
  session: Session,
  { json }: { readonly json: boolean },
  { result, changed, done, stays }: ReportedChange<Status>,
): Promise<void> {
  const { left_alone: left } = result;
  const which = changed.length === 0 ? '' : `: ${changed.slice(0, MAX_IDS_SHOWN).join(' ')}`;
  const more = changed.length > MAX_IDS_SHOWN ? ' …' : '';
  const lines = left.map(({ id, status, overtaken_by: by }) => `${id}: ${stays(status, by)}`);
  const text = [...lines, `${String(changed.length)} ${done}${which}${more}`].join('\n');
  await session.print(json ? JSON.stringify(result) : text);
  session.exitCode = exitCodeOf(changed.length, left);
}

function exitCodeOf(changed: number, left: ReportedChange<string>['result']['left_alone']): ExitCode {
  if (left.length === 0) return exitCode.ok;
  if (changed > 0) return exitCode.partial;
  return left.every(({ status }) => status === null) ? exitCode.notFound : exitCode.failed;
}
