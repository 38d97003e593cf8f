import type { Migration } from './migration.ts';

/**
 * What the quota of the quarantine goes by.
 *
 * - `quarantine.verified` is 1 when the sender was verified. Of entries from
 *   before nobody knows, so they count as verified: no stranger drops them.
 * - `quarantine.bytes` is what an entry counts for: all of it that a sender
 *   chooses, and 512 for the row and its indexes. It is computed, because to
 *   write it into old rows would copy all their bodies.
 * - `quarantine_counts` has a row for each kind of sender and reason. Triggers
 *   keep it, whoever writes; only the quota ever deletes a held entry.
 * - No row remains of what was dropped, because strangers choose how many there
 *   are. An id up to `sqlite_sequence.seq` without a row was dropped.
 */
export const quarantineQuota: Migration = {
  level: 2,
  name: 'quarantine quota',
  sql: `
alter table quarantine add column verified integer not null default 1;
alter table quarantine add column bytes integer generated always as (
  512 + octet_length(body) + octet_length(headers) + octet_length(issues) + octet_length(message)
    + coalesce(octet_length(kind), 0) + coalesce(octet_length(message_id), 0)
) virtual;
create index quarantine_oldest on quarantine (verified, reason) where status = 'held';

create table quarantine_counts (
  verified integer not null,
  reason text not null,
  held integer not null default 0,
  bytes integer not null default 0,
  dropped integer not null default 0,
  dropped_bytes integer not null default 0,
  primary key (verified, reason)
) strict, without rowid;
insert into quarantine_counts (verified, reason, held, bytes)
  select verified, reason, count(*), sum(bytes) from quarantine where status = 'held' group by verified, reason;

drop trigger held_counted;
drop trigger held_recounted;
delete from row_counts where name = 'quarantine held';

create trigger quarantine_held_counted after insert on quarantine when new.status = 'held' begin
  insert into quarantine_counts (verified, reason, held, bytes) values (new.verified, new.reason, 1, new.bytes)
    on conflict do update set held = held + 1, bytes = bytes + excluded.bytes;
end;

create trigger quarantine_release_counted after update of status on quarantine
when old.status = 'held' and new.status <> 'held' begin
  update quarantine_counts set held = held - 1, bytes = bytes - old.bytes
    where verified = old.verified and reason = old.reason;
end;

create trigger quarantine_drop_counted after delete on quarantine when old.status = 'held' begin
  update quarantine_counts
    set held = held - 1, bytes = bytes - old.bytes, dropped = dropped + 1, dropped_bytes = dropped_bytes + old.bytes
    where verified = old.verified and reason = old.reason;
end;
`,
};
