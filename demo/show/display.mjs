const WIDEST = 100;
const BAR = 24;
const SPINNER_MS = 120;
/** Milliseconds between lines, if the output is no terminal. */
const LINE_EVERY_MS = 5_000;

/**
 * Shows the progress of the demo. On a terminal, it redraws a block in place;
 * otherwise it prints a line now and then.
 *
 * @typedef {object} Display
 * @property {(what: string) => void} stage starts a new part
 * @property {(time: string, share: number) => void} at sets the fleet's time and the finished share of the day
 * @property {(what: string) => void} activity sets the current activity
 * @property {(what: string) => void} note prints a line that stays
 * @property {(text: () => string) => void} figures sets the figures, called for each drawing
 * @property {() => void} end removes the block
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
  let activity = '';
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
      `  ${activity}`,
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
      activity = '';
    },
    at(now, done) {
      time = now;
      share = done;
    },
    activity(what) {
      activity = what;
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
    activity: () => undefined,
    note: line,
    figures(text) {
      figures = text;
    },
    end: () => undefined,
  };
}
