import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { addQuarantineList } from './quarantine-list.ts';
import { addQuarantineRelease } from './quarantine-release.ts';
import { addQuarantineShow } from './quarantine-show.ts';

export function addQuarantine(program: Command, session: Session): void {
  const quarantine = program
    .command('quarantine')
    .description('what was verified and is no event: malformed, or not as the contract says');
  addQuarantineList(quarantine, session);
  addQuarantineShow(quarantine, session);
  addQuarantineRelease(quarantine, session);
}
