import { createInterface } from 'node:readline/promises';

import type { Io } from './io.js';

/** The answer of a user at a terminal, without blanks around it. */
export async function promptFor({ stdin, stderr }: Io, question: string): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    return (await prompt.question(question)).trim();
  } finally {
    prompt.close();
  }
}
