export type Progress = ReturnType<typeof createProgress>;

const QUIET_FOR = 10_000;

/** Reports a run's progress on stderr: on a terminal in one line that changes, elsewhere in a line now and then. */
export function createProgress(expected: number, stream: NodeJS.WriteStream = process.stderr) {
  const begin = Date.now();
  let steps = expected;
  let done = 0;
  let spoken = 0;
  const clear = () => (stream.isTTY ? '\r\u001b[K' : '');

  return {
    /** One step is done; announces the next one. */
    step(this: void, next: string) {
      done = Math.min(done + 1, steps);
      const line = `${formatProgress(done - 1, steps, Date.now() - begin)} ${next}`;
      if (stream.isTTY) stream.write(`${clear()}${line.slice(0, (stream.columns || 80) - 1)}`);
      else if (Date.now() - spoken > QUIET_FOR) {
        spoken = Date.now();
        stream.write(`${line}\n`);
      }
    },
    /** The number of steps above those at the beginning. */
    more: (added: number) => void (steps += added),
    /** A separate line. */
    say: (line: string) => void stream.write(`${clear()}${line}\n`),
    end: () => void stream.write(clear()),
  };
}

export function formatProgress(done: number, steps: number, milliseconds: number): string {
  const share = steps === 0 ? 1 : done / steps;
  const left = share > 0.02 ? `, ${formatDuration((milliseconds / share) * (1 - share))} to go` : '';
  return `[${String(Math.round(share * 100)).padStart(3)} %, ${formatDuration(milliseconds)}${left}]`;
}

function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
