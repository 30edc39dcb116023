import { describe, expect, test } from '@jest/globals';

import { findClientIdUrlProblem, isClientIdUrl } from '../../../lib/shared/protocol/client-id-url.js';

describe('a client id is the URL of a document', () => {
  test.each([
    ['https://agent.example/client.json', true, true],
    ['https://', true, true],
    ['http://localhost:3000/client.json', false, true],
    ['http://127.0.0.1/client.json', false, true],
    ['http://[::1]/client.json', false, true],
    ['http://agent.example/client.json', false, false],
    ['http://localhost.example/client.json', false, false],
    ['HTTPS://agent.example/client.json', false, false],
    ['agent.example/client.json', false, false],
    ['printing-shop', false, false],
    ['', false, false],
  ])('%s: %s, and with loopback allowed: %s', (clientId, usually, onLoopback) => {
    expect(isClientIdUrl(clientId, { allowLoopback: false })).toBe(usually);
    expect(isClientIdUrl(clientId, { allowLoopback: true })).toBe(onLoopback);
  });
});

describe('such a URL', () => {
  test.each([
    'https://agent.example/',
    'https://agent.example/client.json',
    'https://agent.example:8443/a/b?c=d',
    'https://agent.example/%20',
    'https://agent.example/a..b/.well-known/...',
    'http://localhost/client.json',
  ])('can be %s', (url) => {
    expect(findClientIdUrlProblem(url)).toBeUndefined();
  });

  test.each([
    ['https://agent.example', 'has no path'],
    ['https://agent.example?a=b', 'has no path'],
    ['https://agent.example/#', 'has a fragment'],
    ['https://agent.example/client.json#a', 'has a fragment'],
    ['https://ada@agent.example/', 'has a user name'],
    ['https://ada:secret@agent.example/', 'has a user name'],
    ['https://agent.example./client.json', 'has a dot at the end of its host'],
    ['https://agent.example.:8443/client.json', 'has a dot at the end of its host'],
    ['https://agent.example/a/../client.json', 'has . or ..'],
    ['https://agent.example/./client.json', 'has . or ..'],
    ['https://agent.example/%2e%2E/client.json', 'has . or ..'],
    ['https://agent.example/.', 'has . or ..'],
    ['https:agent.example/client.json', 'names its host'],
    ['https:///agent.example/client.json', 'names its host'],
    ['https://2130706433/client.json', 'names its host'],
    ['https://agent.example/a b', 'names its host'],
    ['https://agent.example\\@other.example/', 'names its host'],
    ['https://agent.example/\t', 'names its host'],
    ['https://agént.example/', 'names its host'],
    ['https://', 'names its host'],
    [`https://agent.example/${'a'.repeat(500)}`, 'is longer than 512'],
  ])('%.60s: %s', (url, problem) => {
    expect(findClientIdUrlProblem(url)).toContain(problem);
  });
});
