import type { WorkloadName } from '../contender.js';
import type { Cell, Report, WorkloadReport } from './report.js';

/** The workloads that the chart shows, if the run had them. */
const DISPLAYED: readonly WorkloadName[] = ['guard', 'client_credentials', 'code', 'refresh'];

const WIDTH = 820;
const MARGIN = 24;
const LABELS = 250;
const VALUES = 150;
const BAR = 16;
const ROW = 22;
const PANEL_HEAD = 34;
const HEAD = 78;
const FOOT = 44;

const STYLE = `
  svg { color-scheme: light dark }
  .ground { fill: #ffffff } text { font: 13px system-ui, sans-serif; fill: #24292f }
  .head { font-size: 17px; font-weight: 600 } .panel { font-size: 14px; font-weight: 600 } .small { font-size: 12px; fill: #57606a }
  .ours { fill: #0b6e4f } .peer { fill: #818b98 } .limit { fill: #b6bfc8 } .name-ours { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9198a1 }
    .ours { fill: #3fb68b } .peer { fill: #6e7681 } .limit { fill: #484f58 }
  }`;

/**
 * CPU time of the server for one request, a panel for each workload; shorter is better. Figures that are too noisy are
 * left out.
 */
export function drawChart(report: Report): string {
  const workloads = DISPLAYED.flatMap((name) => report.workloads.filter((workload) => workload.name === name))
    .filter(({ cells }) => cells.some((cell) => cell.kind === 'ours' && isReported(cell)))
    .map((workload) => ({ ...workload, cells: workload.cells.filter(isReported) }));
  const panels: string[] = [];
  let y = HEAD;
  for (const workload of workloads) {
    panels.push(drawPanel(workload, y));
    y += panelHeight(workload);
  }
  const height = y + FOOT;
  const { machine, database, date } = report;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="chart-title chart-description">`,
    `<title id="chart-title">CPU time of the server for one request</title>`,
    `<desc id="chart-description">${escapeXml(workloads.map(describe).join(' '))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    text(MARGIN, 34, 'CPU time of the server for one request', 'head'),
    text(
      MARGIN,
      56,
      'Microseconds, shorter is better; green: express-authorization-server; muted: limits, no servers. The same MongoDB for all; medians of interleaved rounds.',
      'small',
    ),
    ...panels,
    text(
      MARGIN,
      height - 18,
      `${date}, ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${database}`,
      'small',
    ),
    '</svg>',
    '',
  ].join('\n');
}

function panelHeight({ cells }: WorkloadReport): number {
  return PANEL_HEAD + cells.length * ROW + 14;
}

function drawPanel({ title, cells }: WorkloadReport, top: number): string {
  const longest = Math.max(1, ...cells.map((cell) => valueOf(cell) ?? 0));
  const rows = cells.map((cell, index) => drawRow(cell, top + PANEL_HEAD + index * ROW, longest));
  return [text(MARGIN, top + 18, title, 'panel'), ...rows].join('\n');
}

function drawRow(cell: Cell, y: number, longest: number): string {
  const value = valueOf(cell);
  const room = WIDTH - 2 * MARGIN - LABELS - VALUES;
  const width = value === undefined ? 0 : Math.max(1, Math.round((value / longest) * room));
  const left = MARGIN + LABELS;
  return [
    text(MARGIN, y + BAR - 3, cell.title, `name-${cell.kind}`),
    ...(value === undefined
      ? []
      : [`<rect class="${cell.kind}" x="${left}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`]),
    text(left + width + 8, y + BAR - 3, formatValue(cell), 'small'),
  ].join('\n');
}

/** Whether there is something to show for it, even if it is only a wrong answer. */
function isReported(cell: Cell): boolean {
  return cell.isUnsupported || cell.refused !== undefined || valueOf(cell) !== undefined;
}

/** None if the figure is too noisy. */
function valueOf({ figures }: Cell): number | undefined {
  return figures === undefined || figures.cpuMicroseconds.isNoisy
    ? undefined
    : figures.cpuMicroseconds.median;
}

function formatValue(cell: Cell): string {
  const value = valueOf(cell);
  if (value !== undefined) {
    const { commands } = cell.database ?? {};
    return `${Math.round(value)} µs${commands === undefined || commands === 0 ? '' : `, ${formatCount(commands)}`}`;
  }
  return cell.isUnsupported ? 'does not have it' : 'gave a wrong answer';
}

function formatCount(commands: number): string {
  const count = commands.toFixed(1).replace(/\.0$/, '');
  return `${count} ${count === '1' ? 'command' : 'commands'}`;
}

function describe({ title, cells }: WorkloadReport): string {
  return `${title}: ${cells.map((cell) => `${cell.title} ${formatValue(cell)}`).join('; ')}.`;
}

function text(x: number, y: number, content: string, className: string): string {
  return `<text x="${x}" y="${y}" class="${className}">${escapeXml(content)}</text>`;
}

function escapeXml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
