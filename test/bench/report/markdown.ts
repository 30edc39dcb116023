import { CONTENDERS } from '../contender.js';
import { summarizeRatio } from '../statistics.js';
import { type Cell, type Report, WIDEST, type WorkloadReport } from './report.js';
import { formatHead, trimmed } from './table.js';

/** What can be told of one contender in one workload. */
type Content = (cell: Cell) => string;

/**
 * For the documentation: a table for each of the important figures, workloads down, contenders across. Comparisons are
 * given with their interval, which shows how certain they are; of the rest, a figure that is too noisy is a dash.
 */
export function formatMarkdown(report: Report): string {
  const { workloads } = report;
  const isCounted = (name: string) =>
    workloads.some(({ cells }) =>
      cells.some((cell) => cell.name === name && (cell.database?.commands ?? 0) > 0),
    );
  return [
    'CPU time of this package for one operation, as a multiple of that of the others, below 1 where it takes less; 95 % confidence interval of the median in brackets:',
    formatMultiples(workloads),
    'CPU time of the server for one operation in µs, in brackets as a multiple of the same by hand:',
    formatTable(workloads, formatCpu),
    'Operations per second:',
    formatTable(workloads, ({ figures }) =>
      figures === undefined ? '' : notify(figures.requestsPerSecond, (median) => median.toFixed(0)),
    ),
    'Commands to the database for one operation:',
    formatTable(
      workloads,
      ({ database }) => (database === undefined ? '?' : trimmed(database.commands)),
      isCounted,
    ),
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
      ...others(cells).map((cell) =>
        formatCell(cell, ({ figures }) => formatMultiple(ownOf(cells)?.cpuMicroseconds.rounds, figures)),
      ),
    ]),
  );
}

function formatMultiple(own: readonly number[] = [], others: Cell['figures']): string {
  if (others === undefined) return '';
  const multiple = summarizeRatio(own, others.cpuMicroseconds.rounds, WIDEST.ratio);
  const [low, high] = multiple.interval.map((end) => end.toFixed(2));
  return `${multiple.median.toFixed(2)} (${String(low)}–${String(high)})`;
}

function formatTable(
  workloads: readonly WorkloadReport[],
  content: Content,
  isDisplayed: (contender: string) => boolean = () => true,
): string {
  const columns = (workloads[0]?.cells ?? []).filter(({ name }) => isDisplayed(name));
  const rows = workloads
    .filter(({ cells }) => cells.some(({ kind }) => kind === 'ours'))
    .map(({ title, cells }) => [
      title,
      ...cells
        .filter(({ name }) => isDisplayed(name))
        .map((cell) => emphasize(cell, formatCell(cell, content))),
    ]);
  return toMarkdown(['', ...columns.map((cell) => emphasize(cell, titleOf(cell)))], rows);
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

/** A dash if it is too noisy, or if the contender does not have the workload. */
function formatCell(cell: Cell, content: Content): string {
  if (cell.isUnsupported) return '–';
  return cell.refused === undefined ? content(cell) : 'refused';
}

function formatCpu({ figures }: Cell): string {
  if (figures === undefined) return '';
  const { cpuMicroseconds, ratios } = figures;
  const ratio = ratios['hand-written'];
  const reported =
    ratio === undefined || ratio.isNoisy || cpuMicroseconds.isNoisy ? '' : ` (${ratio.median.toFixed(2)} ×)`;
  return notify(cpuMicroseconds, (median) => `${median.toFixed(0)}${reported}`);
}

function notify(
  { isNoisy, median }: { readonly isNoisy: boolean; readonly median: number },
  format: (median: number) => string,
): string {
  return isNoisy ? '–' : format(median);
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
    `Medians of ${range} interleaved rounds of ${String(settings['seconds a round'])} s, ${String(settings.connections)} connections. "–": does not have it, or too noisy to tell.`,
    `Versions: ${names.join(', ')}.`,
  ]
    .map(escapeCell)
    .join(' ');
}

function emphasize({ kind }: Cell, text: string): string {
  return kind === 'ours' && text !== '' && text !== '–' ? `**${text}**` : text;
}

/** Names given by others must not become markup. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
