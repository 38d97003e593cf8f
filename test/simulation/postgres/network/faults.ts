/** Faults of statements: the end of the process, of the connection, or an error, before or after the server has run one. */
import type { SimulatedProcess } from '../world/simulated-process.ts';

export interface StatementFault {
  readonly fault: 'die' | 'cut' | 'fail';
  /** Whether the server has run the statement. Its answer is lost then. */
  readonly after: boolean;
  readonly at: 'commit' | 'any';
  /** Of an error: serialization, deadlock, an administrator's shutdown, a full disk. */
  readonly code: '40001' | '40P01' | '57P01' | '53100';
}

interface Planned {
  readonly fault: StatementFault;
  /** Statements that are spared before. */
  spared: number;
  times: number;
}

export class StatementFaults {
  readonly #planned = new Map<SimulatedProcess, Planned>();

  /** It replaces the one that is planned for the process. */
  plan(process: SimulatedProcess, fault: StatementFault, spared: number, times: number): void {
    this.#planned.set(process, { fault, spared, times });
  }

  heal(): void {
    this.#planned.clear();
  }

  get areAny(): boolean {
    return this.#planned.size > 0;
  }

  /** The fault of the statement that the process sends now. */
  due(process: SimulatedProcess, text: string): StatementFault | null {
    const planned = this.#planned.get(process);
    if (planned === undefined || (planned.fault.at === 'commit' && text !== 'commit')) return null;
    planned.spared -= 1;
    if (planned.spared >= 0) return null;
    planned.times -= 1;
    if (planned.times <= 0) this.#planned.delete(process);
    return planned.fault;
  }
}
