// Every kind of token, and every defect, at every object that judges tokens: docs/reference/tokens.md.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TOKEN_KINDS, type TokenKindName } from '#jose'
import { DEFECTS } from '../support/token-matrix/defects.ts'
import { tokensPage, tokenVerdicts } from '../support/token-matrix/page.ts'

const PAGE = join(import.meta.dirname, '../../docs/reference/tokens.md')

test('the page of tokens is what the gateway does', { timeout: 120_000 }, async () => {
  const all = await tokenVerdicts()
  const [signature] = DEFECTS
  for (const { place, kinds, defects } of all) {
    const own = [...kinds].find(([{ name }]) => name === place.own)?.[1]
    assert.equal(own, 'admitted', `${place.name} does not accept its own kind: ${place.own}`)
    for (const defect of signature?.defects ?? [])
      assert.ok(['refused', null].includes(defects.get(defect) as null), `${place.name}: ${defect.name}`)
  }
  const rows = new Set(all.map(({ place }) => place.row))
  const without = Object.keys(TOKEN_KINDS).filter((name) => !rows.has(name as TokenKindName))
  assert.deepEqual(without, [], 'rows of the table by which no place judges')
  const page = tokensPage(all)
  if (process.env['WRITE_PAGES'] === '1') writeFileSync(PAGE, page)
  assert.equal(readFileSync(PAGE, 'utf8'), page, 'changed on purpose? WRITE_PAGES=1 npm test -- token-matrix')
})
