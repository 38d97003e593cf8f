const WIDEST = 100;
const BAR = 24;
const SPINNER_MS = 120;
/** Milliseconds between lines, where nothing can be drawn over. */
const LINE_EVERY_MS = 5_000;

/**
 * What the demo says while it goes on. On a terminal a block that is drawn anew
 * in its place; elsewhere a line now and then.
 *
 * @typedef {object} Display
 * @property {(what: string) => void} stage a new part begins
 * @property {(time: string, share: number) => void} at the fleet's time, and how much of the day is over
 * @property {(what: string) => void} doing what goes on
 * @property {(what: string) => void} note something worth a line that stays
 * @property {(text: () => string) => void} figures asked for whenever the block is drawn
 * @property {() => void} end the block is taken away
 */

/**
 * @param {NodeJS.WriteStream} out
 * @returns {Display}
 */
export function createDisplay(out) {
  return out.isTTY ? block(out) : lines(out);
}

/**
 * @param {NodeJS.WriteStream} out
 * @returns {Display}
 */
function block(out) {
  let stage = '';
  let time = '';
  let share = 0;
  let doing = '';
  let figures = () => '';
  let drawn = 0;

  const clear = () => {
    if (drawn > 0) out.write(`\x1b[${drawn}A\x1b[0J`);
    drawn = 0;
  };
  const draw = () => {
    const width = Math.min(WIDEST, out.columns) - 1;
    const filled = Math.round(share * BAR);
    const bar = `${'━'.repeat(filled)}${'┄'.repeat(BAR - filled)}`;
    const block = [
      time === '' ? stage : `${time}  ${bar}  ${stage}`,
      `  ${doing}`,
      ...figures()
        .split('\n')
        .map((line) => `  ${line}`),
    ];
    clear();
    out.write(block.map((line) => `${Array.from(line).slice(0, width).join('')}\n`).join(''));
    drawn = block.length;
  };
  out.write('\x1b[?25l');
  const timer = setInterval(draw, SPINNER_MS);
  timer.unref();
  return {
    stage(what) {
      stage = what;
      doing = '';
    },
    at(now, done) {
      time = now;
      share = done;
    },
    doing(what) {
      doing = what;
    },
    note(what) {
      clear();
      out.write(`${time === '' ? '' : `${time}  `}${what}\n`);
      draw();
    },
    figures(text) {
      figures = text;
    },
    end() {
      clearInterval(timer);
      clear();
      out.write('\x1b[?25h');
    },
  };
}

/**
 * @param {NodeJS.WriteStream} out
 * @returns {Display}
 */
function lines(out) {
  let time = '';
  let figures = () => '';
  let lastAt = performance.now();
  /** @param {string} what */
  const line = (what) => out.write(`${time === '' ? '' : `${time}  `}${what}\n`);
  return {
    stage: line,
    at(now) {
      time = now;
      if (performance.now() - lastAt < LINE_EVERY_MS) return;
      lastAt = performance.now();
      line(figures().replaceAll('\n', ', '));
    },
    doing: () => undefined,
    note: line,
    figures(text) {
      figures = text;
    },
    end: () => undefined,
  };
}
