import { beforeAll, describe, expect, it } from '@jest/globals';

import { usernameKey } from '../../lib/shared/protocol/username-key.js';
import { createUsers, type NewUser, UserError } from '../../lib/storage/other/users.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

const database = fixture(() => openDatabase());
const users = fixture(() => createUsers(database.connection, { rounds: 4 }));
beforeAll(async () => {
  await users.create({ username: 'Ada', password: 'correct horse', name: 'Ada Lovelace' });
});

async function problemOf(user: NewUser): Promise<{ field: string; message: string }> {
  const error = await users.create(user).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserError)) throw new Error(`not a UserError: ${String(error)}`);
  return { field: error.field, message: error.message };
}

describe('creating a user', () => {
  it('users.create answers id, user name and name, never the hash', async () => {
    const user = await users.create({ username: 'Grace', password: 'a navy admiral' });
    expect(user).toEqual({ id: expect.any(String), username: 'Grace', name: 'Grace' });
    expect(await users.findById(user.id)).toEqual(user);
  });

  it('users.create refuses unknown members', async () => {
    const user = { username: 'Typo', password: 'a navy admiral', nam: 'Grace' };
    await expect(users.create(user as NewUser)).rejects.toThrow(
      "users.create: unknown option 'nam'; did you mean 'name'?",
    );
    expect(await users.verify('Typo', 'a navy admiral')).toBeNull();
  });

  it('users.create stores the password by bcrypt with the configured cost', async () => {
    const stored = await database.collection('oauth_users').findOne({ username: 'Ada' });
    expect(stored?.passwordHash).toMatch(/^\$2b\$04\$.{53}$/);
    expect(JSON.stringify(stored)).not.toContain('correct horse');
  });

  it.each(['ada', 'ADA', ' Ada ', '\uff21da'])(
    'users.create takes %j for the taken name Ada',
    async (username) => {
      expect(await problemOf({ username, password: 'long enough' })).toEqual({
        field: 'username',
        message: 'This user name is taken already.',
      });
    },
  );

  it('users.create accepts one of many equal names at the same moment', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => users.create({ username: 'Race', password: 'long enough' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each<[string, Partial<NewUser>, string]>([
    ['a short password', { password: '1234567' }, 'password'],
    ['a password of more than 72 bytes', { password: 'x'.repeat(73) }, 'password'],
    ['a password of more than 72 bytes in few letters', { password: 'ü'.repeat(37) }, 'password'],
    ['a password with NUL', { password: 'long\0enough' }, 'password'],
    ['an empty name', { username: ' ' }, 'username'],
    ['a name with a line break', { username: 'a\nb' }, 'username'],
    ['a name with an invisible letter', { username: 'a\u200bda' }, 'username'],
    ['a name of a filler', { username: '\u115f' }, 'username'],
    ['a name of an empty pattern', { name: '\u2800' }, 'name'],
    ['a name under a heap of marks', { name: `a${'\u0321'.repeat(5)}da` }, 'name'],
    ['a name that reads backwards', { name: '\u202eada' }, 'name'],
    ['a very long name', { username: 'x'.repeat(101) }, 'username'],
    ['an object for a name', { username: { $ne: '' } as never }, 'username'],
    ['an object for a password', { password: { $ne: '' } as never }, 'password'],
  ])('users.create refuses %s', async (_what, part, field) => {
    const problem = await problemOf({ username: 'somebody', password: 'long enough', ...part });
    expect(problem.field).toBe(field);
    expect(problem.message).toMatch(/^The .*\.$/);
  });

  it('users.create accepts a password of 72 bytes', async () => {
    const password = 'x'.repeat(72);
    await users.create({ username: 'long', password });
    expect(await users.verify('long', password)).not.toBeNull();
    expect(await users.verify('long', `${password}y`)).toBeNull();
  });
});

describe('verifying a password', () => {
  it('users.verify ignores the case of the name', async () => {
    expect(await users.verify('aDA', 'correct horse')).toMatchObject({
      username: 'Ada',
      name: 'Ada Lovelace',
    });
  });

  it('users.verify accepts the same letters from another keyboard', async () => {
    await users.create({ username: 'zoe', password: 'zo\u00eb has a dog' });
    expect(await users.verify('zoe', 'zoe\u0308 has a dog')).not.toBeNull();
  });

  it.each([
    ['a wrong password', 'ada', 'correct horsf'],
    ['the right one in other case', 'ada', 'Correct Horse'],
    ['the right one with a space after it', 'ada', 'correct horse '],
    ['the right one and NUL', 'ada', 'correct horse\0'],
    ['the right one, NUL and more', 'ada', 'correct horse\0and more'],
    ['an empty password', 'ada', ''],
    ['an unknown name', 'nobody', 'correct horse'],
    ['a name with NUL', 'ada\0', 'correct horse'],
    ['a huge name', 'a'.repeat(100_000), 'correct horse'],
    ['a huge password', 'ada', 'correct horse'.repeat(10_000)],
    ['an operator for a name', { $ne: '' } as never, 'correct horse'],
    ['an operator for a password', 'ada', { $ne: '' } as never],
  ])('users.verify refuses %s', async (_what, username, password) => {
    expect(await users.verify(username, password)).toBeNull();
  });
});

describe('looking a user up', () => {
  it('users.findById finds nobody by an unknown id or an operator', async () => {
    expect(await users.findById('no such id')).toBeNull();
    expect(await users.findById({ $ne: '' } as never)).toBeNull();
  });

  it('user names are compared in one normal form', () => {
    expect(usernameKey(' \uff21DA ')).toBe('ada');
  });

  it('users functions reject at once if the database is down', async () => {
    const other = await openDatabase();
    const stranded = createUsers(other.connection, { rounds: 4 });
    await other.connection.close();
    for (const attempt of [
      stranded.findById('x'),
      stranded.verify('ada', 'correct horse'),
      stranded.create({ username: 'new', password: 'long enough' }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ error: 'temporarily_unavailable', status: 503 });
    }
  });

  it('createUsers twice on one connection is the same store', async () => {
    expect(await createUsers(database.connection).verify('ada', 'correct horse')).not.toBeNull();
  });
});
