import { Counter, type CounterConfiguration } from 'prom-client';
import { LabelledCells, type LabelValue } from './labelled-cells.ts';

/**
 * Counts what happens thousands of times a second. The numbers are handed to
 * prom-client when somebody asks for them.
 */
export class TalliedCounter<Label extends string> {
  readonly #cells: LabelledCells<Label, { notHandedOver: number }>;

  constructor(configuration: CounterConfiguration<Label> & { readonly labelNames: readonly Label[] }) {
    this.#cells = new LabelledCells(configuration.labelNames, () => ({ notHandedOver: 0 }));
    const counter: Counter<Label> = new Counter({
      ...configuration,
      collect: () => {
        this.#handOver(counter);
      },
    });
  }

  /** Adds one, with values in the order of the names. */
  inc(first: LabelValue, second?: LabelValue, third?: LabelValue): void {
    this.#cells.at(first, second, third).notHandedOver += 1;
  }

  #handOver(counter: Counter<Label>): void {
    for (const { labels, cell } of this.#cells.all()) {
      counter.inc(labels, cell.notHandedOver);
      cell.notHandedOver = 0;
    }
  }
}
