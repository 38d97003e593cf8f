import type { Histogram, HistogramConfiguration, Registry } from 'prom-client';
import { LabelledCells, type Labels, type LabelValue } from './labelled-cells.ts';

interface Cell {
  /** How many values there were up to each bound and above the one before; the last, above all. */
  readonly counts: number[];
  sum: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, LabelValue>>;
  readonly value: number;
}

type Configuration<Label extends string> = Required<
  Pick<HistogramConfiguration<Label>, 'name' | 'help' | 'labelNames' | 'buckets'>
> & { readonly registers: readonly Registry[] };

/**
 * A histogram of what happens thousands of times a second. One of prom-client
 * finds its numbers by texts that it puts together at every value.
 */
export class TalliedHistogram<Label extends string> {
  readonly #configuration: Configuration<Label>;
  readonly #cells: LabelledCells<Label, Cell>;

  constructor(configuration: Configuration<Label>) {
    const { name, labelNames, buckets, registers } = configuration;
    this.#configuration = configuration;
    this.#cells = new LabelledCells(labelNames, () => ({
      counts: Array<number>(buckets.length + 1).fill(0),
      sum: 0,
    }));
    // Without labels there is one, from the start.
    if (labelNames.length === 0) this.#cells.at();
    // Its name and `get` are what a registry asks of a metric, whatever the type says.
    const metric = { name, get: () => Promise.resolve(this.#read()) } as unknown as Histogram;
    for (const registry of registers) registry.registerMetric(metric);
  }

  /** Takes a value, with those of labels in the order of the names. */
  record(value: number, first?: LabelValue, second?: LabelValue): void {
    const cell = this.#cells.at(first, second);
    const { buckets } = this.#configuration;
    let bucket = 0;
    while (value > (buckets[bucket] ?? Infinity)) bucket += 1;
    cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
    cell.sum += value;
  }

  #read(): object {
    const { name, help } = this.#configuration;
    const values = [...this.#cells.all()].flatMap(({ labels, cell }) => this.#samples(labels, cell));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }

  #samples(labels: Labels<Label>, { counts, sum }: Cell): readonly Sample[] {
    const { name, buckets } = this.#configuration;
    let count = 0;
    const upTo = [...buckets, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...upTo,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
