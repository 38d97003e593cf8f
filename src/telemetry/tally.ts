import { Counter, type CounterConfiguration } from 'prom-client';

type LabelValue = string | number;

interface Cell {
  /** In the order of the counter's names. */
  readonly values: readonly LabelValue[];
  /** Not yet handed over. */
  count: number;
}

/**
 * Counts, by one to three labels, what happens thousands of times a second, for
 * the prom-client counter made with it. That writes all labels out to one text
 * at every `inc`; here each leads to the next, and the sums are handed over
 * when somebody asks for them.
 */
export class Tally<Label extends string> {
  readonly #cells = new Map<LabelValue, Map<LabelValue, Map<LabelValue, Cell>>>();
  readonly #all: Cell[] = [];
  readonly #labelNames: readonly Label[];

  constructor(configuration: CounterConfiguration<Label> & { readonly labelNames: readonly Label[] }) {
    this.#labelNames = configuration.labelNames;
    const counter: Counter<Label> = new Counter({
      ...configuration,
      collect: () => {
        this.#handOver(counter);
      },
    });
  }

  /** Adds one, with values in the order of the names. Each combination costs a time series for ever. */
  inc(first: LabelValue, second: LabelValue = '', third: LabelValue = ''): void {
    const cell = this.#cells.get(first)?.get(second)?.get(third) ?? this.#add(first, second, third);
    cell.count += 1;
  }

  #add(first: LabelValue, second: LabelValue, third: LabelValue): Cell {
    const cell: Cell = { values: [first, second, third], count: 0 };
    const seconds = this.#cells.get(first) ?? new Map<LabelValue, Map<LabelValue, Cell>>();
    const thirds = seconds.get(second) ?? new Map<LabelValue, Cell>();
    this.#cells.set(first, seconds.set(second, thirds.set(third, cell)));
    this.#all.push(cell);
    return cell;
  }

  #handOver(counter: Counter<Label>): void {
    for (const cell of this.#all) {
      if (cell.count === 0) continue;
      const labels = this.#labelNames.map((name, index) => [name, cell.values[index]]);
      counter.inc(Object.fromEntries(labels) as Record<Label, LabelValue>, cell.count);
      cell.count = 0;
    }
  }
}
