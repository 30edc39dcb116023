import { measureCommands } from './commands.js';
import type { BenchOptions } from './options.js';
import { type Report, toJson } from './report/report.js';
import type { RunResult } from './run-result.js';

/** What each command of a flow costs through a Mongoose model, and through the driver. */
export async function runCommands(
  { rounds, isQuick }: BenchOptions,
  { databaseUri, machine }: { readonly databaseUri: string; readonly machine: Report['machine'] },
): Promise<RunResult> {
  const rows = await measureCommands(databaseUri, { rounds, perRound: isQuick ? 300 : 2000 });
  const table = rows.map(({ name, ...figures }) => {
    const cells = Object.values(figures).map((value) => String(Math.round(value)));
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const heading = ['| µs of CPU | model | driver | more |', '| --- | ---: | ---: | ---: |'];
  return {
    text: [...heading, ...table].join('\n'),
    files: {
      'commands.json': toJson({ date: new Date().toISOString().slice(0, 10), machine, rounds, rows }),
    },
    refusals: [],
  };
}
