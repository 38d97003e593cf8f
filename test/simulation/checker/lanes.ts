/** The queue as rows: of a lane's unfinished deliveries one runs, or the first waits to be claimed. */
import type { World } from '../world/world.ts';
import { violated } from './violation.ts';

interface QueueRow {
  readonly id: number;
  readonly handler: string;
  readonly lane: number;
  readonly laneOrder: string;
  readonly status: string;
  readonly head: number;
  readonly dueAt: number | null;
  readonly finishedAt: number | null;
  readonly subject: number;
}

export function lookAtLanes({ rows }: World, isAll: boolean): void {
  const found =
    rows.select?.<QueueRow>(`select deliveries.id, handler, lane, lane_order as "laneOrder", status,
    head, due_at as "dueAt", finished_at as "finishedAt", subject_id as subject
    from deliveries join events on events.id = event_id
    ${isAll ? '' : 'where finished_at is null'} order by deliveries.id`);
  for (const row of found ?? []) requireRow(row);
  const unfinished = found?.filter(({ finishedAt }) => finishedAt === null) ?? [];
  for (const [lane, all] of Map.groupBy(unfinished, (row) => `${row.handler} ${String(row.lane)}`)) {
    const running = all.filter(({ status }) => status === 'running');
    const heads = all.filter(({ head }) => head !== 0);
    if (running.length + heads.length !== 1)
      throw violated('lanes', `of ${lane}, ${running.length} run and ${heads.length} are first`, all);
    if (heads[0] !== undefined && heads[0] !== all[0])
      throw violated('lanes', `of ${lane}, d${heads[0].id} is first before d${all[0]?.id ?? 0}`, all);
  }
}

function requireRow(row: QueueRow): void {
  const { id, lane, laneOrder, status, head, dueAt, finishedAt, subject } = row;
  const expected = laneOrder === 'subject' ? subject : laneOrder === 'handler' ? 0 : -id;
  if (lane !== expected) throw violated('lanes', `d${id} is in lane ${lane}, expected ${expected}`, row);
  const isWaiting = status === 'pending';
  if ((finishedAt === null) !== (isWaiting || status === 'running'))
    throw violated('lanes', `d${id} is ${status} and ended at ${finishedAt ?? 'no time'}`, row);
  if (head !== 0 && (!isWaiting || dueAt === null))
    throw violated('lanes', `d${id} is ${status} and first, due at ${dueAt ?? 'no time'}`, row);
}
