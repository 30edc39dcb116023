import { createInterface } from 'node:readline';
import { createInterface as createPrompt } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';

/** Asks a user at a terminal; returns the trimmed answer. */
export async function promptFor({ stdin, stderr }: Io, question: string): Promise<string> {
  const prompt = createPrompt({ input: stdin, output: stderr });
  try {
    return (await prompt.question(question)).trim();
  } finally {
    prompt.close();
  }
}

/**
 * Ends the command unless a user at the terminal answers as expected.
 *
 * @param what the action that needs the answer, and the message without it
 */
export async function confirm(
  io: Io,
  question: string,
  isYes: (answer: string) => boolean,
  [what, undone]: readonly [what: string, undone: string] = ['this', 'changed'],
): Promise<void> {
  if (!io.stdin.isTTY) throw new CliError(`${what} needs a yes`, 'Write --yes where nobody can be asked.');
  if (!isYes(await promptFor(io, question))) throw notFound(`nothing was ${undone}`);
}

/** All of standard input, without its last line break. */
export async function readStdin({ stdin }: Io): Promise<string> {
  return (await text(stdin)).replace(/\r?\n$/, '');
}

/**
 * Reads a password from standard input, or typed twice at a terminal, without echo. Never from the command line, which
 * the list of processes and the shell's history would show.
 */
export async function askPassword(io: Io, byStdin: boolean): Promise<string> {
  if (byStdin) return readStdin(io);
  if (io.stdin.isTTY !== true)
    throw new CliError(
      'nobody is there to type a password',
      'Write --password-stdin and hand it over by standard input.',
    );
  const [first, second] = await askUnseen(io, ['Password: ', 'The same again: ']);
  if (first !== second) throw new CliError('the two passwords differ', 'Nothing was stored.');
  return first ?? '';
}

/** Reads one line for each question, with one reader, so that early input is not lost. */
function askUnseen({ stdin, stderr }: Io, questions: readonly string[]): Promise<string[]> {
  // readline stops the terminal's echo, and writes its own to this output
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    const answers: string[] = [];
    const giveUp = () => {
      reader.close();
      stderr.write('\n');
      reject(notFound('nothing was stored'));
    };
    stderr.write(questions[0] ?? '');
    // Ctrl-C, and the end of the input
    reader.once('SIGINT', giveUp).once('close', giveUp);
    reader.on('line', (line) => {
      answers.push(line);
      stderr.write(`\n${questions[answers.length] ?? ''}`);
      if (answers.length < questions.length) return;
      reader.removeAllListeners('close').close();
      resolve(answers);
    });
  });
}
