/** The table of all commands. */
import type { Command } from 'commander';
import type { Session } from './session.ts';

/** Adds one command with its subcommands. */
type AddCommand = (program: Command, session: Session) => void;

interface CommandGroup {
  readonly heading: string;
  /** Commands by name. Each is imported on demand: a run of the program needs only one. */
  readonly commands: Readonly<Record<string, () => Promise<AddCommand>>>;
}

/** Every command, in the order of `--help`. */
export const commandTable: readonly CommandGroup[] = [
  {
    heading: 'Begin:',
    commands: {
      init: async () => (await import('./commands/init/init-command.ts')).addInit,
    },
  },
  {
    heading: 'Receive webhooks:',
    commands: {
      dev: async () => (await import('./commands/dev/dev-command.ts')).addDev,
      serve: async () => (await import('./commands/serve/serve-command.ts')).addServe,
      send: async () => (await import('./commands/send/send-command.ts')).addSend,
    },
  },
  {
    heading: 'Inspect:',
    commands: {
      events: async () => (await import('./commands/events/events-command.ts')).addEvents,
      deliveries: async () => (await import('./commands/deliveries/deliveries-command.ts')).addDeliveries,
      failures: async () => (await import('./commands/failures-command.ts')).addFailures,
      quarantine: async () => (await import('./commands/quarantine/quarantine-command.ts')).addQuarantine,
      subjects: async () => (await import('./commands/subjects/subjects-command.ts')).addSubjects,
      machines: async () => (await import('./commands/machines-command.ts')).addMachines,
      handlers: async () => (await import('./commands/handlers/handlers-command.ts')).addHandlers,
      reconcile: async () => (await import('./commands/reconcile-command.ts')).addReconcile,
      audit: async () => (await import('./commands/audit-command.ts')).addAudit,
      stats: async () => (await import('./commands/stats-command.ts')).addStats,
    },
  },
  {
    heading: 'Run again (see also: deliveries retry, quarantine release, machines rebuild):',
    commands: {
      replay: async () => (await import('./commands/replay/replay-command.ts')).addReplay,
      jobs: async () => (await import('./commands/jobs/jobs-command.ts')).addJobs,
      rehearse: async () => (await import('./commands/rehearse/rehearse-command.ts')).addRehearse,
    },
  },
  {
    heading: 'Personal data:',
    commands: {
      privacy: async () => (await import('./commands/privacy/privacy-command.ts')).addPrivacy,
    },
  },
  {
    heading: 'Keep the data (see also: events prune, export, import):',
    commands: {
      backup: async () => (await import('./commands/store/backup-command.ts')).addBackup,
      restore: async () => (await import('./commands/store/restore-command.ts')).addRestore,
      store: async () => (await import('./commands/store/store-command.ts')).addStore,
    },
  },
  {
    heading: 'Simulate the provider:',
    commands: {
      provider: async () => (await import('./commands/provider/provider-command.ts')).addProvider,
    },
  },
  {
    heading: 'About this installation:',
    commands: {
      contract: async () => (await import('./commands/contract-command.ts')).addContract,
      transactions: async () => (await import('./commands/transactions-command.ts')).addTransactions,
      watch: async () => (await import('./commands/watch-command.ts')).addWatch,
      verify: async () => (await import('./commands/verify-command.ts')).addVerify,
      doctor: async () => (await import('./commands/doctor/doctor-command.ts')).addDoctor,
    },
  },
];
