import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_SESSION_COOKIE, withoutManagementCookies } from './management-cookie.ts'

test('a Cookie header loses the cookies of the management connector and keeps the others as they are', () => {
  const rows: readonly [string, string | null][] = [
    ['a=1; b=2', 'a=1; b=2'],
    ['gateway-studio-8085=x', null],
    ['gateway-studio-8085=x; gateway-studio-9085=y', null],
    ['a=1; gateway-studio-8085=x; b="2"', 'a=1; b="2"'],
    ['gateway-studio-8085=x;a=1', 'a=1'],
    ['a=gateway-studio-8085=x; b', 'a=gateway-studio-8085=x; b'],
    [' gateway-studio-8085', null],
    [`a=1; ${ADMIN_SESSION_COOKIE}=x; gateway-session=y`, 'a=1; gateway-session=y'],
    [`${ADMIN_SESSION_COOKIE}=x; gateway-studio-8085=y`, null],
  ]
  for (const [header, kept] of rows) assert.equal(withoutManagementCookies(header), kept)
})
