import type { GroupCommit } from './group-commit.ts';
import type { Writes, WritesNow } from './writes.ts';

/** The same writes, each a part of the next group commit. */
export function groupedWrites(writes: WritesNow, { write }: Pick<GroupCommit, 'write'>): Writes {
  return {
    accept: (event, routes, options) => write(() => writes.accept(event, routes, options)),
    quarantine: (rejected) => write(() => writes.quarantine(rejected)),

    recover: () => write(() => writes.recover()),
    claim: (request) => write(() => writes.claim(request)),
    advance: (delivery, end, options) => write(() => writes.advance(delivery, end, options)),
    postpone: (delivery, failure) => write(() => writes.postpone(delivery, failure)),
    handBack: (delivery, options) => write(() => writes.handBack(delivery, options)),

    commitMachine: (source, subject, commit, now) =>
      write(() => writes.commitMachine(source, subject, commit, now)),

    createReplay: (replay, now) => write(() => writes.createReplay(replay, now)),
    enqueueReplay: (id, deliveries, options) => write(() => writes.enqueueReplay(id, deliveries, options)),
    finishReplay: (id) => write(() => writes.finishReplay(id)),
    retryDeliveries: (ids, now) => write(() => writes.retryDeliveries(ids, now)),
  };
}
