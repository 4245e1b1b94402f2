import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutStudioCookies } from './studio-cookie.ts'

test('a Cookie header loses the session cookies of the Studio and keeps the others as they are', () => {
  const rows: readonly [string, string | null][] = [
    ['a=1; b=2', 'a=1; b=2'],
    ['gateway-studio-8085=x', null],
    ['gateway-studio-8085=x; gateway-studio-9085=y', null],
    ['a=1; gateway-studio-8085=x; b="2"', 'a=1; b="2"'],
    ['gateway-studio-8085=x;a=1', 'a=1'],
    ['a=gateway-studio-8085=x; b', 'a=gateway-studio-8085=x; b'],
    [' gateway-studio-8085', null],
  ]
  for (const [header, kept] of rows) assert.equal(withoutStudioCookies(header), kept)
})
