import { describe, expect, test } from '@jest/globals';

import type { Finding } from '../../lib/cli/doctor/finding.js';
import { runCli } from '../support/cli.js';
import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';

const example = fixture(() => startExample());

describe('assistants at the example', () => {
  test("the example's page for assistants has the URL in the form of each assistant", async () => {
    const response = await fetch(`${example.issuer}/connect`);
    const page = (await response.text()).replaceAll('&amp;', '&').replaceAll('&#34;', '"');
    const mcpUrl = `${example.issuer}/mcp`;
    expect(page).toContain(`<pre id="mcp-url">${mcpUrl}</pre>`);
    const link = (id: string) => new RegExp(`id="${id}" href="([^"]+)"`).exec(page)?.[1] ?? '';
    const [, vsCode = ''] = link('vscode-link').split('?');
    expect(JSON.parse(decodeURIComponent(vsCode))).toEqual({ name: 'lantern', type: 'http', url: mcpUrl });
    const cursor = new URL(link('cursor-link')).searchParams;
    expect(JSON.parse(Buffer.from(cursor.get('config') ?? '', 'base64').toString())).toEqual({ url: mcpUrl });
    for (const name of ['Claude', 'ChatGPT', 'VS Code', 'Cursor', 'Command line'])
      expect(page).toContain(`<h2>${name}</h2>`);
    // Claude and ChatGPT do not reach this machine
    expect(page).toContain('id="on-this-machine"');
  });

  test('doctor --mcp finds nothing serious at the example', async () => {
    const { stdout, stderr } = await runCli(['doctor', '--json', '--mcp', `${example.issuer}/mcp`]);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    expect(findings.filter(({ severity }) => severity === 'serious')).toEqual([]);
    expect(stderr).toContain('… asking for authorization as Claude');
  });
});
