export type LabelValue = string | number;
export type Labels<Label extends string> = Readonly<Record<Label, LabelValue>>;

/**
 * What is counted apart by one to three labels. Each value leads to the next,
 * where prom-client writes all of them out to one text at every count. Every
 * combination costs a time series for ever.
 */
export class LabelledCells<Label extends string, Cell> {
  readonly #cells = new Map<LabelValue, Map<LabelValue, Map<LabelValue, Cell>>>();
  readonly #all: { readonly labels: Labels<Label>; readonly cell: Cell }[] = [];
  readonly #names: readonly Label[];
  readonly #create: () => Cell;

  constructor(names: readonly Label[], create: () => Cell) {
    this.#names = names;
    this.#create = create;
  }

  /** Values stand in the order of the names. */
  at(first: LabelValue = '', second: LabelValue = '', third: LabelValue = ''): Cell {
    return this.#cells.get(first)?.get(second)?.get(third) ?? this.#add(first, second, third);
  }

  /** In the order they were first asked for. */
  all(): Iterable<{ readonly labels: Labels<Label>; readonly cell: Cell }> {
    return this.#all;
  }

  #add(first: LabelValue, second: LabelValue, third: LabelValue): Cell {
    const cell = this.#create();
    const seconds = this.#cells.get(first) ?? new Map<LabelValue, Map<LabelValue, Cell>>();
    const thirds = seconds.get(second) ?? new Map<LabelValue, Cell>();
    this.#cells.set(first, seconds.set(second, thirds.set(third, cell)));
    const values = [first, second, third];
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index]]));
    this.#all.push({ labels: labels as Labels<Label>, cell });
    return cell;
  }
}
