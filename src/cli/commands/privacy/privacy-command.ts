import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { addErase } from './privacy-erase.ts';
import { addFind } from './privacy-find.ts';
import { addHold } from './privacy-hold.ts';
import { addReapply } from './privacy-reapply.ts';
import { addReceipts } from './privacy-receipts.ts';

/** `portaria privacy`: finds a person in the database, erases them, and keeps the evidence. */
export function addPrivacy(program: Command, session: Session): void {
  const privacy = program
    .command('privacy')
    .description("find and erase a person's data, hold subjects, and check receipts (docs/privacy.md)");
  addFind(privacy, session);
  addErase(privacy, session);
  addReapply(privacy, session);
  addHold(privacy, session);
  addReceipts(privacy, session);
}
