/** Asks again as a client does: a database that others keep busy may be slower than `databaseTimeout` even now. */
export async function untilServed<Answer extends { readonly status: number }>(
  ask: () => PromiseLike<Answer>,
): Promise<Answer> {
  let answer = await ask();
  for (let tries = 0; answer.status === 503 && tries < 10; tries += 1) answer = await ask();
  return answer;
}
