import { setTimeout as delay } from 'node:timers/promises';

import * as client from 'openid-client';

import { commandLine } from './demo.js';
import { invite } from './device-invitation.js';

/**
 * A program without a browser, like a television or a printer: it shows a code, which a person allows on a phone (RFC
 * 8628). It knows only the issuer's URL of the photo site, and reads the rest in the metadata.
 */
async function run(issuer: URL): Promise<void> {
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const configuration = await client.discovery(issuer, commandLine.clientId, undefined, client.None(), {
    algorithm: 'oauth2',
    execute,
    timeout: 10,
  });
  const device = await client.initiateDeviceAuthorization(configuration, { scope: 'photos:read' });
  print(await invite(device, process.stdout.isTTY));

  const waiting = new AbortController();
  const progress = showProgress(device, waiting.signal);
  // waits between two polls, and longer after slow_down
  const tokens = await client
    .pollDeviceAuthorizationGrant(configuration, device)
    .finally(() => waiting.abort());
  await progress;

  const answer = await client.fetchProtectedResource(
    configuration,
    tokens.access_token,
    new URL('/api/photos', issuer),
    'GET',
  );
  const photos = (await answer.json()) as { title: string }[];
  print(
    `Connected. There are ${photos.length} photos in this account:\n${photos.map(({ title }) => `  - ${title}`).join('\n')}\n`,
  );
  print(`To disconnect it: ${issuer.origin}/oauth/authorizations`);
}

/** Shows the remaining time: second by second on a terminal, elsewhere in one line. */
async function showProgress(
  { expires_in: life }: client.DeviceAuthorizationResponse,
  signal: AbortSignal,
): Promise<void> {
  const end = Date.now() + life * 1000;
  if (!process.stdout.isTTY) return print(`Waiting up to ${Math.round(life / 60)} minutes…`);
  const pictures = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇'];
  for (let context = 0; !signal.aborted; context += 1) {
    const left = Math.max(0, Math.round((end - Date.now()) / 1000));
    process.stdout.write(
      `\r${pictures[context % pictures.length]} Waiting for you… ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left `,
    );
    await delay(250, undefined, { signal }).catch(() => undefined);
  }
  process.stdout.write('\r\u001b[K');
}

const ENDINGS: Readonly<Record<string, string>> = {
  access_denied: 'You denied it, so nothing was connected.',
  expired_token: 'The code has expired. Run this again for a new one.',
};

function explain(error: unknown): string {
  const { cause } = error as { cause?: { error?: string; code?: string } };
  if (cause?.code === 'ECONNREFUSED')
    return 'Nobody answers there. Start the example first (npm run example), in another window.';
  return (cause?.error === undefined ? undefined : ENDINGS[cause.error]) ?? String(error);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const given = process.argv[2] ?? process.env.ISSUER ?? `http://localhost:${process.env.PORT ?? '3000'}`;
if (URL.canParse(given)) {
  await run(new URL(given)).catch((error: unknown) => {
    console.error(explain(error));
    process.exitCode = 1;
  });
} else {
  console.error(
    `'${given}' is no URL: write that of the photo site, such as npm run example:device -- http://localhost:3000`,
  );
  process.exitCode = 1;
}
