import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { HandlerKind } from '#contracts'
import { respond } from '#http'
import { defineType } from '#schema'
import { loadExtensions } from './extensions.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-extra-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const KNOWN = [
  defineType({ name: 'Chain', kind: HandlerKind, summary: '', config: {}, create: () => async () => respond(204) }),
]

const load = () => loadExtensions(directory, KNOWN)

const module = (name: string) => `
export const types = ({ defineType, HandlerKind, respond }) => [
  defineType({ name: '${name}', kind: HandlerKind, summary: 'A test.', config: {}, create: () => async () => respond(204) }),
]`

test('a missing folder has no types', async () => {
  assert.deepEqual(await loadExtensions(join(directory, 'none'), KNOWN), [])
})

test('types are loaded from JavaScript and TypeScript modules, in the order of file names', async () => {
  writeFileSync(join(directory, 'b.js'), module('FromJavaScript'))
  writeFileSync(join(directory, 'a.ts'), `const n: number = 1\n${module('FromTypeScript')}`)
  writeFileSync(join(directory, 'c.d.ts'), 'no module at all')
  writeFileSync(join(directory, 'README.md'), 'no module either')
  const types = await load()
  assert.deepEqual(
    types.map(({ name }) => name),
    ['FromTypeScript', 'FromJavaScript'],
  )
})

test('a module without types is an error that names the missing export', async () => {
  writeFileSync(join(directory, 'x.js'), 'export const nothing = 1')
  await assert.rejects(load(), /extra\/x\.js: expected an exported function types\(api\)/)
})

test('a module that can not be loaded is named', async () => {
  writeFileSync(join(directory, 'broken.js'), 'export const types = (')
  await assert.rejects(load(), /extra\/broken\.js/)
})

test('a module whose types are invalid is named', async () => {
  writeFileSync(join(directory, 'odd.js'), 'export const types = () => [{ name: "Odd" }]')
  await assert.rejects(load(), /extra\/odd\.js: expected types made with defineType/)
})

test('a module whose function throws is named', async () => {
  writeFileSync(join(directory, 'throws.js'), 'export const types = () => { throw new Error("boom") }')
  await assert.rejects(load(), /^ExtensionError: extra\/throws\.js: types\(api\) failed: boom$/)
})

test('a type with the name of another one is an error that names both modules', async () => {
  writeFileSync(join(directory, 'b.js'), module('Mine'))
  writeFileSync(join(directory, 'c.js'), module('Mine'))
  await assert.rejects(load(), /extra\/c\.js: the object type Mine has the same name as one of extra\/b\.js; choose/)
  writeFileSync(join(directory, 'a.js'), module('Chain'))
  await assert.rejects(load(), /extra\/a\.js: the object type Chain has the same name as a type of the gateway; choose/)
})
