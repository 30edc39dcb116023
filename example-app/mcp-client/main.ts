import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

import { type Callback, DeniedError, openCallback } from './callback.js';
import { createCredentials, describeProgram } from './credentials.js';
import { readRefusals } from './refusals.js';

/** The MCP server of the example. */
const ofExample = `http://localhost:${process.env.PORT || '3000'}/mcp`;

const notify = (text: string) => console.log(text);

/** A client of the Model Context Protocol. It knows only the URL of an MCP server, and discovers the rest. */
async function run(url: URL, payment?: Payment): Promise<void> {
  const callback = await openCallback((clientId, redirectUri) => ({
    client_id: clientId,
    ...describeProgram(redirectUri),
  }));
  try {
    const { client, transport } = await connect(url, callback);
    await showPhotos(client);
    if (payment !== undefined)
      await pay(client, payment, async () => transport.finishAuth(await callback.answer()));
    await client.close();
  } finally {
    callback.close();
  }
}

async function connect(url: URL, callback: Callback) {
  const refusals = readRefusals();
  const authProvider = createCredentials(callback, refusals, notify);
  const options = { authProvider, fetch: refusals.fetch };
  const client = new Client({ name: 'Desk Assistant', version: '1.0.0' });
  let transport = new StreamableHTTPClientTransport(url, options);
  notify(`→ Connecting to ${url.href}`);
  try {
    await client.connect(transport);
  } catch (error) {
    // by now the SDK has discovered the servers, registered, and shown the page
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await callback.answer());
    transport = new StreamableHTTPClientTransport(url, options);
    await client.connect(transport);
  }
  notify('✓ Connected\n');
  return { client, transport };
}

interface Payment {
  readonly amount: string;
  readonly to: string;
}

/** Pays, and tries it again: the person has allowed one payment. */
async function pay(client: Client, payment: Payment, finish: () => Promise<void>): Promise<void> {
  const call = async () => {
    const { content } = await client.callTool({ name: 'pay', arguments: { ...payment } });
    notify(`What pay says:\n  ${(content as { text: string }[])[0]?.text}\n`);
  };
  notify(`→ Paying ${payment.amount} EUR to ${payment.to}`);
  try {
    await call();
  } catch (error) {
    // the challenge has told the SDK what the person must allow, and the page is open
    if (!(error instanceof UnauthorizedError)) throw error;
    await finish();
    await call();
  }
  notify('→ Paying once more');
  await call().catch((error: unknown) => {
    if (!(error instanceof UnauthorizedError)) throw error;
    notify('✓ Refused: you would have to allow another payment');
  });
}

async function showPhotos(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  notify(
    `Tools that you have allowed:\n${tools.map(({ name, description }) => `  ${name}   ${description}`).join('\n')}\n`,
  );
  if (!tools.some(({ name }) => name === 'list_photos')) return;
  const { content } = await client.callTool({ name: 'list_photos' });
  const [answer] = content as { text: string }[];
  notify(`What list_photos says:\n${answer?.text.replaceAll(/^/gm, '  ')}\n`);
}

function explain(error: unknown, url: URL): string {
  if (error instanceof DeniedError)
    return `You did not allow it (${error.message}), so nothing was connected.`;
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code === 'ECONNREFUSED')
    return 'Nobody answers there. Start the example first (npm run example), in another window.';
  // the SDK puts the whole response into the message, which is a page if the address is wrong
  if (error instanceof SdkHttpError)
    return `${url.href} answers ${error.status}${error.status === 404 ? ' (not found)' : ''}: that is no MCP server. The one of the example is ${ofExample}`;
  return firstSentence(String(error));
}

/** Reduces an error to one line without markup. */
function firstSentence(text: string): string {
  const [line = ''] = text.replaceAll(/\s*<[\s\S]*$/g, '').split('\n');
  return line.slice(0, 300);
}

const [given = ofExample, amount, to] = process.argv.slice(2);
if (URL.canParse(given)) {
  const url = new URL(given);
  await run(url, amount === undefined || to === undefined ? undefined : { amount, to }).catch(
    (error: unknown) => {
      console.error(explain(error, url));
      process.exitCode = 1;
    },
  );
} else {
  console.error(
    `'${given}' is no URL: write that of an MCP server, such as npm run example:mcp -- http://localhost:3000/mcp`,
  );
  process.exitCode = 1;
}
