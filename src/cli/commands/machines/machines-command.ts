import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { addMachinesList } from './machines-list.ts';
import { addMachinesRebuild } from './machines-rebuild.ts';
import { addMachinesShow } from './machines-show.ts';

export function addMachines(program: Command, session: Session): void {
  const machines = program.command('machines').description('what state machines know, subject by subject');
  addMachinesList(machines, session);
  addMachinesShow(machines, session);
  addMachinesRebuild(machines, session);
}
