import type { Figure } from '../statistics.js';
import type { Cell, Report, WorkloadReport } from './report.js';

export type Row = readonly string[];

export function formatReport(report: Report): string {
  const head = [
    ...formatHead(report),
    'CPU: time of the server process for one operation; MB: resident memory after the last round; ±: half of the 95 % confidence interval of the median; –: too noisy to tell, or not had',
  ];
  return [...head, ...report.workloads.map((workload) => formatWorkload(workload, report))].join('\n');
}

export function formatHead({
  date,
  machine,
  database,
  settings,
}: Pick<Report, 'date' | 'machine' | 'settings'> & { readonly database?: string }): string[] {
  return [
    [
      date,
      machine.cpu,
      `${machine.cores} cores`,
      formatBytes(machine.memoryBytes),
      machine.platform,
      `Node ${machine.node}`,
      ...(database === undefined ? [] : [database]),
    ].join(', '),
    `load average before: ${machine.loadAverage.toFixed(2)}; ${Object.entries(settings)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ')}`,
  ];
}

export function formatWorkload(
  { title, rounds, cells }: WorkloadReport,
  { baselines }: Pick<Report, 'baselines'>,
): string {
  const ratios = Object.keys(baselines);
  const isCounted = cells.some(({ database }) => database !== undefined);
  const header = [
    '',
    'per second',
    '',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    '',
    ...ratios.map((ratio) => `× ${baselines[ratio]}`),
    ...(isCounted ? ['commands'] : []),
    'MB',
  ];
  const rows = cells.map((cell) => formatCell(cell, { ratios, isCounted, width: header.length }));
  return `\n${title} (${rounds} rounds)\n${formatColumns([header, ...rows])}`;
}

interface Columns {
  readonly ratios: readonly string[];
  readonly isCounted: boolean;
  readonly width: number;
}

function formatCell(cell: Cell, { ratios, isCounted, width }: Columns): Row {
  const { title, figures, database } = cell;
  if (figures === undefined)
    return [title, cell.isUnsupported ? '–' : 'REFUSED', ...Array<string>(width - 2).fill('')];
  return [
    title,
    formatFigure(figures.requestsPerSecond, 0),
    formatInterval(figures.requestsPerSecond),
    formatFigure(figures.p50, 2),
    formatFigure(figures.p99, 1),
    formatFigure(figures.cpuMicroseconds, 0),
    formatInterval(figures.cpuMicroseconds),
    ...ratios.map((ratio) => formatFigure(figures.ratios[ratio], 2)),
    ...(isCounted ? [database === undefined ? '' : trimmed(database.commands)] : []),
    `${Math.round(figures.residentBytes / 1e6)}`,
  ];
}

/** A dash in the place of a figure that is too noisy. */
export function formatFigure(figure: Figure | undefined, digits: number): string {
  if (figure === undefined) return '';
  return figure.isNoisy ? '–' : figure.median.toFixed(digits);
}

export function formatInterval({ median, isNoisy, interval: [low, high] }: Figure): string {
  return isNoisy || median === 0 ? '' : `±${Math.round(((high - low) / median) * 50)} %`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

function formatBytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 30)} GB`;
}

/** The first column is aligned to the left, the others to the right, or to the left as well. */
export function formatColumns(rows: readonly Row[], others: 'left' | 'right' = 'right'): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const align = (text: string, column: number) =>
    column === 0 || others === 'left' ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}
