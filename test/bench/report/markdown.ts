import { CONTENDERS } from '../contender.js';
import { summarizeRatio } from '../statistics.js';
import { type Cell, type Report, WIDEST, type WorkloadReport } from './report.js';
import { formatHead } from './table.js';

/** For README.md: workloads down, contenders across. A comparison has its interval, which shows how certain it is. */
export function formatMarkdown(report: Report): string {
  return [
    'CPU time of this package for one operation, as a multiple of that of the others, below 1 where it takes less; 95 % confidence interval of the median in brackets:',
    formatMultiples(report.workloads),
    formatFoot(report),
    '',
  ].join('\n\n');
}

/** Ours over each of the others, round by round. */
function formatMultiples(workloads: readonly WorkloadReport[]): string {
  const ownOf = (cells: readonly Cell[]) => cells.find(({ kind }) => kind === 'ours')?.figures;
  const reported = workloads.filter(({ cells }) => ownOf(cells) !== undefined);
  const others = (cells: readonly Cell[]) => cells.filter(({ kind }) => kind !== 'ours');
  return toMarkdown(
    ['', ...others(workloads[0]?.cells ?? []).map(titleOf)],
    reported.map(({ title, cells }) => [
      title,
      ...others(cells).map((cell) => formatMultiple(ownOf(cells)?.cpuMicroseconds.rounds, cell)),
    ]),
  );
}

/** A dash if the contender does not have the workload. */
function formatMultiple(own: readonly number[] = [], { figures, isUnsupported, refused }: Cell): string {
  if (isUnsupported) return '–';
  if (refused !== undefined || figures === undefined) return 'refused';
  const multiple = summarizeRatio(own, figures.cpuMicroseconds.rounds, WIDEST.ratio);
  const [low, high] = multiple.interval.map((end) => end.toFixed(2));
  return `${multiple.median.toFixed(2)} (${String(low)}–${String(high)})`;
}

function titleOf({ name, title }: Cell): string {
  return CONTENDERS.find((contender) => contender.name === name)?.shortTitle ?? title;
}

function toMarkdown(
  [first = '', ...columns]: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [[first, ...columns], ['---', ...columns.map(() => '---:')], ...rows]
    .map((row) => `| ${row.map(escapeCell).join(' | ')} |`)
    .join('\n');
}

function formatFoot(report: Report): string {
  const { workloads, settings, versions } = report;
  const rounds = workloads.map((workload) => workload.rounds);
  const names = Object.entries(versions).map(
    ([contender, version]) =>
      `${CONTENDERS.find(({ name }) => name === contender)?.shortTitle ?? contender} ${version}`,
  );
  const range = [...new Set([Math.min(...rounds), Math.max(...rounds)])].join(' to ');
  return [
    `${formatHead(report)[0]}.`,
    `Medians of ${range} interleaved rounds of ${String(settings['seconds a round'])} s, ${String(settings.connections)} connections. "–": does not have it.`,
    `Versions: ${names.join(', ')}.`,
  ]
    .map(escapeCell)
    .join(' ');
}

/** Names from others must not become markup. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
