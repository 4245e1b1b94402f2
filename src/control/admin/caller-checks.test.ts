import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { callerChecks } from './caller-checks.ts'

const filter = callerChecks('gateway.example', ['admin.example'])

async function statusOf(
  method: string,
  host: string,
  headers: Record<string, string | string[]> = {},
  localAddress = '127.0.0.1',
): Promise<number> {
  const exchange = exchangeFor(method, `http://${host}/api/x`, { headers, client: { localAddress } })
  return (await filter(exchange, async () => respond(200))).status
}

describe('the Host of a management request (threats B84)', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['localhost:8085', 200],
    ['LOCALHOST', 200],
    ['127.0.0.1:8085', 200],
    ['[::1]:8085', 200],
    ['gateway.example', 200],
    ['Admin.Example:8085', 200],
    ['evil.test', 403],
    ['localhost.evil.test', 403],
    ['127.0.0.1.evil.test', 403],
    ['127.0.0.2', 403],
    ['0.0.0.0', 403],
  ]
  for (const [host, status] of rows) {
    test(`${host} is ${status}, for any method`, async () => {
      for (const method of ['GET', 'HEAD', 'PUT']) assert.equal(await statusOf(method, host), status)
    })
  }

  test('the local address of the connection is accepted', async () => {
    assert.equal(await statusOf('GET', '192.0.2.7:8085', {}, '192.0.2.7'), 200)
    assert.equal(await statusOf('GET', '192.0.2.8:8085', {}, '192.0.2.7'), 403)
  })
})

describe('cross-origin changes by a browser (threats B84)', () => {
  const rows: readonly (readonly [Record<string, string | string[]>, number])[] = [
    [{}, 200],
    [{ Origin: 'http://localhost:8085' }, 200],
    [{ Origin: 'HTTP://LOCALHOST:8085' }, 200],
    [{ Origin: 'https://localhost:8085' }, 403],
    [{ Origin: 'http://localhost:8086' }, 403],
    [{ Origin: 'http://evil.test' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: '' }, 403],
    [{ Origin: ['http://localhost:8085', 'http://evil.test'] }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': ['same-origin', 'cross-site'] }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'http://evil.test' }, 403],
  ]
  for (const [headers, status] of rows) {
    test(`${JSON.stringify(headers)} is ${status}; reading is not a change`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        assert.equal(await statusOf(method, 'localhost:8085', headers), status, method)
      }
      for (const method of ['GET', 'HEAD']) assert.equal(await statusOf(method, 'localhost:8085', headers), 200)
    })
  }
})
