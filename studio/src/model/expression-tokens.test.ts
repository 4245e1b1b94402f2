import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { expressionTokens } from './expression-tokens.ts'
import { decodeString } from './json-string.ts'

function shown(text: string): string[] {
  return Array.from(expressionTokens(text), ({ kind, from, to }) => `${kind} ${text.slice(from, to)}`)
}

test('names, functions, literals and operators of an expression are told apart; text outside has no tokens', () => {
  assert.deepEqual(shown("a ${find(request.uri, '^/x') and not true}}"), [
    'delimiter ${',
    'function find',
    'operator (',
    'name request',
    'operator .',
    'name uri',
    'operator ,',
    "string '^/x'",
    'operator )',
    'operator and',
    'operator not',
    'literal true',
    'delimiter }',
  ])
  assert.deepEqual(shown('\\${escaped} {x}'), [])
})

test('an unfinished expression has the tokens that it has, and what can not be read is invalid', () => {
  assert.deepEqual(shown('${1 + '), ['delimiter ${', 'literal 1', 'operator +'])
  assert.deepEqual(shown("${a == 'x"), ['delimiter ${', 'name a', 'operator ==', "invalid 'x"])
})

test('a string of JSON has the offsets of its characters, also before its end is written', () => {
  const raw = String.raw`a\n\u0041\"\\x" , 1`
  const { text, offsets } = decodeString(raw, 10)
  assert.equal(text, 'a\nA"\\x')
  assert.deepEqual(offsets, [10, 11, 13, 19, 21, 23, 24])
  assert.deepEqual(decodeString('ab'), { text: 'ab', offsets: [0, 1, 2] })
})

test('what the pages share with the gateway needs nothing of Node', () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, isType, name] of text.matchAll(/^(?:import|export) (type )?[^'\n]*?(?:\n[^']*?)?from '([^']+)'/gm)) {
      if (isType !== undefined || name === undefined) continue
      assert.doesNotMatch(name, /^node:/, file)
      const ofPackage = /^(?:#|@identity-gateway\/)(json|regex)$/.exec(name)?.[1]
      if (ofPackage !== undefined) visit(join(root, 'packages', ofPackage, 'index.ts'))
      else if (name.startsWith('.')) visit(join(dirname(file), name))
    }
  }
  visit(join(import.meta.dirname, 'expression-tokens.ts'))
  assert.ok(seen.has(join(root, 'src', 'expression', 'lexer.ts')) && seen.size > 8, [...seen].join())
})
