import { describe, expect, test } from '@jest/globals';

import { findClientIdUrlProblem, isClientIdUrl } from '../../../lib/shared/protocol/client-id-url.js';

describe('client ids that are the URL of a document', () => {
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
  ])('the client id %s is a URL: %s, and with loopback allowed: %s', (clientId, usually, onLoopback) => {
    expect(isClientIdUrl(clientId, { allowLoopback: false })).toBe(usually);
    expect(isClientIdUrl(clientId, { allowLoopback: true })).toBe(onLoopback);
  });
});

describe('the URL of a client id', () => {
  test.each([
    'https://agent.example/',
    'https://agent.example/client.json',
    'https://agent.example:8443/a/b?c=d',
    'https://agent.example/%20',
    'https://agent.example/a..b/.well-known/...',
    'http://localhost/client.json',
  ])('the client id URL %s is valid', (url) => {
    expect(findClientIdUrlProblem(url)).toBeUndefined();
  });

  test.each([
    ['https://agent.example/#', 'has a fragment'],
    ['https://agent.example./client.json', 'has a dot at the end of its host'],
    ['https://agent.example.:8443/client.json', 'has a dot at the end of its host'],
    ['https://agent.example/.', 'has . or ..'],
    ['https:agent.example/client.json', 'names its host'],
    ['https://agent.example/\t', 'names its host'],
    ['https://', 'names its host'],
  ])('the client id URL %.60s is refused: it %s', (url, problem) => {
    expect(findClientIdUrlProblem(url)).toContain(problem);
  });
});
